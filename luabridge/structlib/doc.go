// Package structlib is the struct library of Redis's Lua for gopher-lua: it packs values into
// strings of bytes and unpacks them, with the layouts, limits and error texts of struct 0.2 inside
// redis-server 7.0.15.
//
//	var lib structlib.Library
//	L.SetGlobal("struct", lib.Open(L))
//
// Formats, with sizes in bytes (small letters are signed):
//
//	b B    1          h H    2        l L  8
//	i I    4          iN IN  N, 0 to 32; beyond the low 8 bytes zeros are packed
//	T      8, unsigned
//	f d    4 and 8, floating point
//	s      a string up to a zero byte
//	cN     N bytes of a string, 1 without N
//	c0     the whole string; unpack takes its length from the value before, which is dropped
//	x      a zero byte without a value
//	< >    little and big endian from here on; little at first
//	!N     numbers are aligned to their size, at most to N (a power of 2; 8 without N); 1 at first
//	space  nothing
package structlib
