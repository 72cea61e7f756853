// Package budget limits the library functions of a script: their time, their memory, and the length
// of the strings that they make.
//
// The rule for every function whose work or result grows with its input:
//
//   - It spends a step for each element or each few bytes that it processes ([Budget.Work]), so
//     that it can be interrupted.
//   - It holds bytes before it allocates them ([Budget.Hold]). It releases them when the script's
//     values contain them, or when they are no longer used. A walk over the script's values counts
//     what the script can reach; held bytes count what only the function can reach.
//   - It makes no string longer than [MaxString]. [Text] checks that, and holds the memory of a
//     text that is being built.
//
// A function that exceeds the budget does not return: Work and Hold raise an error that no pcall
// catches.
package budget

import (
	lua "github.com/yuin/gopher-lua"
)

// MaxString is the length limit of a string, in bytes: 512 MB, as for values in Redis.
const MaxString = 512 << 20

// TooLarge is the error text for a longer string.
const TooLarge = "resulting string too large"

const (
	every = 1 << 12  // steps between two calls of Attend
	piece = 64 << 10 // bytes between two calls of Reserve
)

// Budget counts for one Lua state. Only the goroutine of that state may use it. A nil Budget has no
// limits.
type Budget struct {
	// Attend is called every few thousand steps, with the number of steps since the last call. It
	// may raise an error.
	Attend func(L *lua.LState, steps int64)
	// Reserve is called before a large number of bytes is allocated: n since the last call. Held
	// already includes them. It may raise an error.
	Reserve func(L *lua.LState, n int64)

	// Longest is the length limit of a string, in bytes. 0: MaxString.
	Longest int

	steps int64 // since the last call of Attend
	held  int64
	asked int64 // the part of held that Reserve has been called for
	total int64 // held so far
}

// Work spends n steps. It is small enough to be inlined, so it must not contain attend.
func (b *Budget) Work(L *lua.LState, n int) {
	if b == nil {
		return
	}
	if b.steps += int64(n); b.steps >= every {
		b.attend(L)
	}
}

//go:noinline
func (b *Budget) attend(L *lua.LState) {
	n := b.steps
	b.steps = 0
	if b.Attend != nil {
		b.Attend(L, n)
	}
}

// Hold holds n more bytes, which are about to be allocated.
func (b *Budget) Hold(L *lua.LState, n int) {
	if b == nil {
		return
	}
	b.total += int64(n)
	if b.held += int64(n); b.held-b.asked >= piece {
		b.reserve(L)
	}
}

// Total returns the number of bytes that were held so far, released or not. It only grows.
func (b *Budget) Total() int64 { return b.total }

func (b *Budget) reserve(L *lua.LState) {
	n := b.held - b.asked
	b.asked = b.held
	if b.Reserve != nil {
		b.Reserve(L, n)
	}
}

// Ask checks the budget for n bytes that become a value of the script, or garbage, immediately
// after they are allocated. It holds nothing afterwards.
func (b *Budget) Ask(L *lua.LState, n int) {
	if b != nil {
		before := b.held
		b.Hold(L, n)
		b.Release(before)
	}
}

// Fits reports whether a string may be n bytes long.
func (b *Budget) Fits(n int) bool { return n <= b.longest() }

func (b *Budget) longest() int {
	if b == nil || b.Longest == 0 {
		return MaxString
	}
	return b.Longest
}

// Held returns the number of bytes that are held.
func (b *Budget) Held() int64 {
	if b == nil {
		return 0
	}
	return b.held
}

// Release releases all bytes that were held since Held returned held. Code that catches an error
// must call it too.
func (b *Budget) Release(held int64) {
	if b != nil {
		b.held = held
		b.asked = min(b.asked, held)
	}
}

// Free releases n of the bytes that are held.
func (b *Budget) Free(n int) {
	if b != nil {
		b.Release(b.held - int64(n))
	}
}

// Reset clears the counters for a new run.
func (b *Budget) Reset() { b.steps, b.held, b.asked = 0, 0, 0 }

// Text counts the memory of one text that is being built. The zero value is for an empty text.
type Text struct {
	mark int // no check is needed up to this length
	held int
}

// Text begins to count a text. The first 64 KB cost nothing.
func (b *Budget) Text() (t Text) {
	if b == nil || b.Longest == 0 {
		t.mark = piece
	}
	return t
}

// To must be called before the text grows to n bytes. It reports whether a text may have that
// length.
func (t *Text) To(b *Budget, L *lua.LState, n int) bool {
	return n <= t.mark || t.more(b, L, n)
}

// Room returns the length up to which [Text.To] does nothing, for loops that keep it in a variable.
func (t *Text) Room() int { return t.mark }

func (t *Text) more(b *Budget, L *lua.LState, n int) bool {
	longest := b.longest()
	if n > longest {
		return false
	}
	if n < piece {
		t.mark = min(piece, longest)
		return true
	}
	room := n + n/4 // as append grows
	t.mark = min(room, longest)
	b.Hold(L, room-t.held)
	t.held = room
	return true
}
