// Package globals makes the globals of scripts: tables that all scripts share and none can change.
//
// A script holds a stand-in of such a table: an empty table whose metatable has __index and
// __newindex. Only Go code reaches the table behind it ([Globals.Real]). Walks over the globals see
// a third table, which has the names in Redis's order ([Globals.Shown]).
//
// A field of a library also stands among the globals under an alias that no script can write, so
// that the machine finds redis.call with one look-up ([Environment]).
//
// A [Globals] belongs to the goroutine of its Lua state.
package globals
