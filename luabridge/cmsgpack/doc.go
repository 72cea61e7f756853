// Package cmsgpack is the cmsgpack library of Redis's Lua for gopher-lua: the same bytes, key order
// and error texts as lua-cmsgpack 0.4.0 inside redis-server 7.0.15.
//
//	var lib cmsgpack.Library
//	L.SetGlobal("cmsgpack", lib.Open(L))
//
// It does not trust announced lengths: the contents of the message limit what unpack allocates.
//
// A program that runs scripts by gopher-lua alone leaves [Library.Real] nil. The tables that unpack
// makes can then be changed by gopher-lua's own loop.
package cmsgpack
