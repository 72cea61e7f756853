// Package cmsgpack is the cmsgpack library of Redis's Lua for gopher-lua: the same bytes, key order and
// error texts as lua-cmsgpack 0.4.0 inside redis-server 7.0.15.
//
//	var lib cmsgpack.Library
//	L.SetGlobal("cmsgpack", lib.Open(L))
//
// Announced lengths are never trusted: what unpack allocates is bounded by what the message holds.
// The one exception is gopher-lua's own, which keeps maps with integer keys as arrays; [MaxSparse] bounds it.
package cmsgpack
