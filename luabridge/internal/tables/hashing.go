package tables

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Hashing is how a Lua hashes strings. The order of a table's string keys depends on it.
type Hashing uint8

// The hashings.
const (
	// OwnHashing is that of Lua 5.1 itself, as the Lua inside Redis has it: every byte counts, from
	// the last to the first.
	OwnHashing Hashing = iota
	// MurmurHashing is that of the Lua inside Valkey since 8.1: MurmurHash3 of 32 bits. The length of
	// the string is the seed.
	MurmurHashing
)

// hashed is the dict of a table with [MurmurHashing] that is not split. It stays empty: gopher-lua
// puts keys there only if it changes a table itself, and it never changes a table of ours.
var hashed = map[lua.LValue]lua.LValue{}

// Use makes a table hash strings in this way, and returns it. The table must be new: no walk over
// it has begun, and no key was removed.
func (h Hashing) Use(tb *lua.LTable) *lua.LTable {
	if h != OwnHashing {
		look(tb).dict = hashed
	}
	return tb
}

// Room returns for how many elements the server makes the table of a reply, of KEYS or of ARGV that
// has n: one that hashes by Murmur gives it its size before it adds them, the others add them one
// by one to an empty table. The length of a table with holes depends on it.
func (h Hashing) Room(n int) int {
	if h == MurmurHashing {
		return n
	}
	return powerAbove(n)
}

// Array returns a table like [NewArray], with the room that the server gives it.
func (h Hashing) Array(values []lua.LValue) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	SetArray(tb, values, h.Room(len(values)))
	return h.Use(tb)
}

// murmurs reports whether a table that is not split has [MurmurHashing].
func (l *layout) murmurs() bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&l.dict)) == *(*unsafe.Pointer)(unsafe.Pointer(&hashed))
}

// hashString is the hash of a string in [OwnHashing].
func hashString(s string) uint32 {
	h := uint32(len(s))
	for i := len(s) - 1; i >= 0; i-- {
		h ^= h<<5 + h>>2 + uint32(s[i])
	}
	return h
}

// murmurHash is the hash of a string in [MurmurHashing].
func murmurHash(s string) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	h := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(b)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var rest uint32
	for i := len(b) - 1; i >= 0; i-- {
		rest = rest<<8 | uint32(b[i])
	}
	h ^= bits.RotateLeft32(rest*c1, 15) * c2
	h ^= uint32(len(s))
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
