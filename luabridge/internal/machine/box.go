package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// boxes are the small numbers, made values once.
var boxes = func() (t [256]lua.LValue) {
	for i := range t {
		t[i] = lua.LNumber(i)
	}
	return t
}()

// boxer makes values of numbers. It allocates memory for many at a time, which lives as long as one of them does.
type boxer struct {
	block []lua.LNumber
}

const perBlock = 64

// A value is a pair of words, the type and a pointer to the number.
var numberType = (*[2]unsafe.Pointer)(unsafe.Pointer(&boxes[1]))[0]

func (b *boxer) box(n lua.LNumber) (v lua.LValue) {
	if len(b.block) == cap(b.block) {
		b.block = make([]lua.LNumber, 0, perBlock)
	}
	b.block = append(b.block, n)
	words := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))
	words[1] = unsafe.Pointer(&b.block[len(b.block)-1])
	words[0] = numberType
	return v
}
