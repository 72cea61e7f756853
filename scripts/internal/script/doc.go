// Package script is what the packages of ready scripts share: how a script is run and its reply
// read, and how names, numbers and durations become arguments.
//
// Invariant: every reply has an outcome, a word. An outcome without details is a text. An outcome
// with details is a list that begins with it. The comment at the head of each Lua file lists the
// outcomes and their details.
package script
