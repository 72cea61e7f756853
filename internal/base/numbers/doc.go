// Package numbers gives the same results as C with glibc, to the last digit: conversions between
// texts and numbers as in Lua 5.1, and the functions of Lua's math library. Scripts and the geo
// commands use it.
package numbers
