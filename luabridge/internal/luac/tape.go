package luac

import "github.com/redmoon-lua/redmoon/luabridge/internal/syntax"

// budget counts memory before it is allocated.
type budget struct {
	reserve func(n int) error
	due     int // bytes counted but not yet reserved
}

// Approximate sizes in bytes. Those of an instruction and its line are for a complete function.
const (
	functionSize    = 480
	variableSize    = 64
	constantSize    = 96
	instructionSize = 12
	reserveStep     = 1 << 16
)

// take counts n bytes, and calls reserve when enough have been counted.
func (b *budget) take(n int) {
	if b.due += n; b.due < reserveStep || b.reserve == nil {
		return
	}
	due := b.due
	b.due = 0
	if err := b.reserve(due); err != nil {
		syntax.Stop(err)
	}
}

// flush reserves what has been counted.
func (b *budget) flush() {
	if b.reserve == nil {
		return
	}
	due := b.due
	b.due = 0
	if err := b.reserve(due); err != nil {
		syntax.Stop(err)
	}
}

// tape holds the instructions and lines of the functions in progress, the innermost last. It grows
// by pages, so that a long function does not leave garbage. The first page begins small, for the
// sake of short texts.
type tape struct {
	pages  []page
	n      int
	budget *budget
}

const (
	pageBits  = 12
	firstSize = 128
)

type page struct {
	code  []uint32
	lines []int32
}

func (t *tape) push(inst uint32, line int) {
	n, at := t.n>>pageBits, t.n&(1<<pageBits-1)
	if n == len(t.pages) || at == len(t.pages[n].code) {
		t.grow(n)
	}
	p := &t.pages[n]
	p.code[at], p.lines[at] = inst, int32(line)
	t.n++
}

// grow makes room on page n.
func (t *tape) grow(n int) {
	size := 1 << pageBits
	if n == 0 {
		size = firstSize
	}
	if n == len(t.pages) {
		t.budget.take(8 * size)
		t.pages = append(t.pages, page{make([]uint32, size), make([]int32, size)})
		return
	}
	p := &t.pages[n]
	size = len(p.code)
	t.budget.take(8 * size)
	p.code, p.lines = append(p.code, make([]uint32, size)...), append(p.lines, make([]int32, size)...)
}

func (t *tape) at(i int) *uint32 { return &t.pages[i>>pageBits].code[i&(1<<pageBits-1)] }

func (t *tape) line(i int) *int32 { return &t.pages[i>>pageBits].lines[i&(1<<pageBits-1)] }

// take removes and returns everything from base on. It drops pages as soon as they are not needed.
func (t *tape) take(base int) (code []uint32, lines []int) {
	n := t.n - base
	t.budget.take(n * instructionSize)
	code, lines = make([]uint32, n), make([]int, n)
	for i := range n {
		code[i], lines[i] = *t.at(base + i), int(*t.line(base + i))
	}
	t.n = base
	if last := base>>pageBits + 1; last < len(t.pages) {
		clear(t.pages[last:])
		t.pages = t.pages[:last]
	}
	return code, lines
}
