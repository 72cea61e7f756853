// Package strlib is the string library of Redis's Lua for gopher-lua: byte, char, dump, find, format, gfind, gmatch,
// gsub, len, lower, match, rep, reverse, sub and upper with the results and error texts of Lua 5.1 inside
// redis-server 7.0.15.
//
//	var lib strlib.Library
//	L.SetGlobal("string", lib.Open(L))
//
// Strings are bytes; letters are those of ASCII. Patterns end at their first zero byte, the operands of format's %s
// too when they are shorter than 100 bytes, as the C library has it.
//
// # What it refuses
//
// A string longer than [MaxString] is never built: the call ends with "resulting string too large". A match that
// would nest deeper than maxDepth ends with "pattern too complex"; the real server has no such limit and crashes.
// What string.dump gives is its owner's to say: see [Library.Dump].
package strlib
