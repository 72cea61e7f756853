// Package numbers turns Lua numbers into text and back as Lua 5.1 on glibc does.
package numbers
