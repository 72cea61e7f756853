// Package strlib is the string library of Redis's Lua for gopher-lua: byte, char, dump, find,
// format, gfind, gmatch, gsub, len, lower, match, rep, reverse, sub and upper with the results and
// error texts of Lua 5.1 inside redis-server 7.0.15.
//
//	var lib strlib.Library
//	L.SetGlobal("string", lib.Open(L))
//
// Strings are bytes; only ASCII letters are letters. As in C, patterns end at their first zero
// byte, and so do operands of format's %s that are shorter than 100 bytes.
//
// # What it refuses
//
// It makes no string that is longer than the budget allows: the call ends with "resulting string
// too large". A match that would nest deeper than maxDepth ends with "pattern too complex"; the
// real server has no such limit and crashes.
//
// [Library.Dump] provides string.dump.
package strlib
