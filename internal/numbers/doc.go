// Package numbers computes as C on glibc does, where the last digit shows: text to number and back as Lua 5.1 has it,
// and the functions of math, for scripts and for the geo commands.
package numbers
