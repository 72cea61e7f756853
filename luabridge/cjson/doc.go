// Package cjson is the cjson library of Redis's Lua for gopher-lua: the same bytes, key order and
// error texts as lua-cjson 2.1.0 inside redis-server 7.0.15.
//
//	codec := cjson.New()
//	L.SetGlobal("cjson", codec.Open(L))
//
// A [Codec] holds the settings that scripts change through functions such as
// encode_max_depth. It belongs to one goroutine.
package cjson
