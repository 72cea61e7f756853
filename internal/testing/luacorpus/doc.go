// Package luacorpus collects Lua scripts that people wrote: those of this repository, and those of
// published packages. Tests lint them all and compare the findings with a table that a reviewer
// filled in.
//
// # Vocabulary
//
//   - A [Script] is one text that a program gives to EVAL, SCRIPT LOAD or FUNCTION LOAD.
//   - A package is what the script comes from: a module of Go, a package of npm, or a part of this
//     repository.
//   - A [Review] is the table: one row for each finding, with a verdict and its reason.
package luacorpus
