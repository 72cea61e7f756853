// Package limits decides when a running script must end: another goroutine orders it, or the script
// takes too many steps or too much memory.
//
// An [Order] to end a script sets the attention flag. The script's goroutine looks at the flag at
// each call and each iteration of a loop, and calls [Limits.Poll]. An order takes effect as an
// error that is raised again as often as a pcall catches it.
//
// A script's memory is the size of its reachable values, plus what library functions hold; see
// package budget. A walk over the values measures them. It is due when the program has allocated
// enough since the last walk, or when a library function is about to allocate much. Allocations of
// other goroutines may cause a walk, but never end a script.
//
// Orders may be given on any goroutine; the rest belongs to the goroutine of the script.
package limits
