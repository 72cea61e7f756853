// Package script is what the packages of ready scripts share: how a script is run and its reply
// read, and how names, numbers and durations become arguments.
//
// Invariant: every reply is a list whose first element is a word, the outcome. The elements that
// follow it depend on the outcome; the comment at the head of each Lua file lists them.
package script
