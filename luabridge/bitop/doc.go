// Package bitop is the bit library of Redis's Lua for gopher-lua: operations on 32-bit integers
// with the results and error texts of BitOp 1.0.2 inside redis-server 7.0.15.
//
//	var lib bitop.Library
//	L.SetGlobal("bit", lib.Open(L))
//
// Every result is a signed 32-bit integer. A number outside that range is taken modulo 1<<32. A
// fraction is rounded to the nearest even integer. Beyond ±1<<51 low bits are lost; infinities and
// nan have none.
package bitop
