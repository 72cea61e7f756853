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

// tape holds the instructions and lines of the functions in progress, the innermost last. It grows
// by pages, so that a long function does not leave garbage.
type tape struct {
	pages  []*page
	n      int
	budget *budget
}

const pageBits = 12

type page struct {
	code  [1 << pageBits]uint32
	lines [1 << pageBits]int32
}

func (t *tape) push(inst uint32, line int) {
	at := t.n
	if at>>pageBits == len(t.pages) {
		t.budget.take(8 << pageBits)
		t.pages = append(t.pages, new(page))
	}
	p := t.pages[at>>pageBits]
	p.code[at&(1<<pageBits-1)], p.lines[at&(1<<pageBits-1)] = inst, int32(line)
	t.n++
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
