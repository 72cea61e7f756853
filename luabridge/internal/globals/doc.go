// Package globals makes the globals of scripts: tables that no script can change.
//
// All Lua states of a kind share one [Common], which nobody changes once it is closed. What differs
// between states (KEYS, ARGV and _G, which leads to them) is in the state's own [Globals].
//
// A script holds a stand-in of a table that it cannot change: an empty table whose metatable has
// __index, __newindex and a mark. Only Go code reaches the table behind it ([Real]). Walks over the
// globals see a third table, which has the names in Redis's order ([Shown]).
//
// A field of a library also stands among the globals under an alias that no script can write, so
// that the machine finds redis.call with one look-up ([Environment]).
//
// A [Globals] belongs to the goroutine of its Lua state.
package globals
