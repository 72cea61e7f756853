// Package boxes makes Lua values of strings and numbers with fewer allocations than Go's
// conversions.
package boxes

import (
	"math"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Boxes makes values. It allocates memory for many values at a time; that memory lives as long as
// one of them. It belongs to one goroutine. The zero value is ready.
type Boxes struct {
	numbers []lua.LNumber
	strings []lua.LString
	texts   []byte // the free rest of a block of short texts; written bytes never change
}

const (
	perBlock = 64  // numbers
	strPer   = 32  // strings
	longest  = 128 // largest size in bytes of a string that shares a block; its neighbours keep it alive
)

// small are values of numbers, and bytes values of strings of one byte. They are made once.
var (
	small [1024]lua.LValue
	bytes [256]lua.LValue
	empty lua.LValue = lua.LString("")
)

// A value is a pair of words: the type, and a pointer to the number or string.
var numberType, stringType unsafe.Pointer

func init() {
	for i := range small {
		small[i] = lua.LNumber(i)
	}
	for i := range bytes {
		bytes[i] = lua.LString([]byte{byte(i)})
	}
	numberType = words(&small[1])[0]
	stringType = words(&bytes[0])[0]
}

func words(v *lua.LValue) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(v)) }

// Int returns i as a value. Small ones are not boxed again.
func Int(i int) lua.LValue {
	if uint(i) < uint(len(small)) {
		return small[i]
	}
	return lua.LNumber(i)
}

// Float makes a value of f. Small integers have no box of their own.
func Float(f float64) lua.LValue {
	if i := int(f); float64(i) == f && (i != 0 || !math.Signbit(f)) {
		return Int(i)
	}
	return lua.LNumber(f)
}

// Byte returns the string of one byte as a value.
func Byte(c byte) lua.LValue { return bytes[c] }

// Number returns a number as a value.
func (b *Boxes) Number(n lua.LNumber) (v lua.LValue) {
	if i := int(n); uint(i-1) < uint(len(small)-1) && lua.LNumber(i) == n { // 0 has a sign
		return small[i]
	}
	if len(b.numbers) == cap(b.numbers) {
		b.numbers = make([]lua.LNumber, 0, perBlock)
	}
	b.numbers = append(b.numbers, n)
	w := words(&v)
	w[1] = unsafe.Pointer(&b.numbers[len(b.numbers)-1])
	w[0] = numberType
	return v
}

// Block is the size in bytes of a block of values. A value keeps its whole block alive. A block
// begins at a multiple of its size, so two addresses are in the same block if they differ only in
// the lower bits.
const Block = 512

// Shared reports whether a value is in a block with other values. Small numbers and the shortest
// strings are: their blocks are never freed.
func Shared(v lua.LValue) bool {
	s, ok := v.(lua.LString)
	return !ok || len(s) <= longest
}

// Address returns the address of a number or of a string's header, not of its bytes.
func Address(v lua.LValue) unsafe.Pointer { return words(&v)[1] }

// Piece makes a value of s, a part of whole. It copies s if whole is long, so that s does not keep
// whole alive.
func (b *Boxes) Piece(whole, s string) lua.LValue {
	switch {
	case len(s) == 1:
		return bytes[s[0]]
	case len(whole) <= Block || len(s) == 0 || len(s) == len(whole):
	case len(s) > Block/8:
		s = strings.Clone(s)
	default: // short ones share a block
		if len(s) > len(b.texts) {
			b.texts = make([]byte, Block)
		}
		n := copy(b.texts, s)
		s = unsafe.String(&b.texts[0], n)
		b.texts = b.texts[n:]
	}
	return b.String(s)
}

// String returns a string as a value. It does not copy the string.
func (b *Boxes) String(s string) (v lua.LValue) {
	switch {
	case len(s) > longest:
		return lua.LString(s)
	case len(s) == 1:
		return bytes[s[0]]
	case len(s) == 0:
		return empty
	}
	if len(b.strings) == cap(b.strings) {
		b.strings = make([]lua.LString, 0, strPer)
	}
	b.strings = append(b.strings, lua.LString(s))
	w := words(&v)
	w[1] = unsafe.Pointer(&b.strings[len(b.strings)-1])
	w[0] = stringType
	return v
}
