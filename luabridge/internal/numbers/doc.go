// Package numbers computes with Lua numbers as Lua 5.1 on glibc does: text to number and back, and the functions whose
// last digit shows.
package numbers
