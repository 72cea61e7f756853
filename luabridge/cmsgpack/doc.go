// Package cmsgpack is the cmsgpack library of Redis's Lua for gopher-lua: the same bytes, key order and
// error texts as lua-cmsgpack 0.4.0 inside redis-server 7.0.15.
//
//	var lib cmsgpack.Library
//	L.SetGlobal("cmsgpack", lib.Open(L))
//
// Announced lengths are never trusted: what unpack allocates is bounded by what the message holds.
//
// A program that runs scripts by gopher-lua alone leaves [Library.Real] nil: the tables that unpack makes are then such as its
// own loop can change.
package cmsgpack
