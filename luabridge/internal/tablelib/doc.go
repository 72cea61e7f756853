// Package tablelib is the table library of Redis's Lua. Its functions read and write tables in the
// same order as Lua's. The order of writes decides how a table is laid out, and so the length and
// the walks of tables with holes.
package tablelib
