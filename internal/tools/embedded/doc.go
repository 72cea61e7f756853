// Package embedded finds the Redis Lua scripts in strings of programs in other languages, says from
// which place of the file each byte of them comes, and puts a changed script back.
//
// A scanner separates comments, strings and code, by a table of the languages. No grammar of a
// language is needed: brackets, names and operators show how a string is used. [Rules] lists the
// uses that make a string a script. What a program inserts into a string when it runs is a [Hole].
//
// Find takes time in proportion to the size of the file, whatever is in it. The package has no
// state, and a Script never changes, so any number of goroutines may use them.
package embedded
