package datastore

import "slices"

// window is a slice with free space at both ends: pushing and popping at either end is O(1)
// amortized, inserting and deleting in the middle moves the elements on the shorter side.
//
// The elements are buf[lo:hi]; the rest of buf holds zero values.
type window[T any] struct {
	buf    []T
	lo, hi int
}

func (w *window[T]) len() int   { return w.hi - w.lo }
func (w *window[T]) items() []T { return w.buf[w.lo:w.hi] }

// makeRoom ensures that there is a free place before the first element, or after the last if front
// is false. A window that is at most half full moves its elements to the middle, so that the next
// move is a quarter of its size away. Otherwise the window doubles, with all new space on the side
// asked for.
func (w *window[T]) makeRoom(front bool) {
	if front && w.lo > 0 || !front && w.hi < len(w.buf) {
		return
	}
	n := w.len()
	old := w.items()
	if n > 0 && n <= len(w.buf)/2 {
		lo := (len(w.buf) - n) / 2
		if lo == 0 && front {
			lo = 1
		}
		copy(w.buf[lo:], old)
		if lo > w.lo {
			clear(w.buf[w.lo:min(lo, w.hi)])
		} else {
			clear(w.buf[max(lo+n, w.lo):w.hi])
		}
		w.lo, w.hi = lo, lo+n
		return
	}
	if n == 0 && len(w.buf) > 0 {
		if front {
			w.lo, w.hi = len(w.buf), len(w.buf)
		} else {
			w.lo, w.hi = 0, 0
		}
		return
	}
	w.resize(max(4, 2*len(w.buf)), front)
}

// resize gives the window a buffer of size places, with the free ones before or after the elements.
func (w *window[T]) resize(size int, front bool) {
	n := w.len()
	lo := 0
	if front {
		lo = size - n
	}
	buf := make([]T, size)
	copy(buf[lo:], w.items())
	w.buf, w.lo, w.hi = buf, lo, lo+n
}

func (w *window[T]) pushFront(v T) {
	w.makeRoom(true)
	w.lo--
	w.buf[w.lo] = v
}

func (w *window[T]) pushBack(v T) {
	w.makeRoom(false)
	w.buf[w.hi] = v
	w.hi++
}

func (w *window[T]) popFront() (v T) {
	v, w.buf[w.lo] = w.buf[w.lo], v
	w.lo++
	return v
}

func (w *window[T]) popBack() (v T) {
	w.hi--
	v, w.buf[w.hi] = w.buf[w.hi], v
	return v
}

// insert inserts v before element i, 0 <= i <= len.
func (w *window[T]) insert(i int, v T) {
	front := i < w.len()/2
	if w.lo == 0 && w.hi == len(w.buf) {
		w.makeRoom(front)
	} else if w.lo == 0 {
		front = false
	} else if w.hi == len(w.buf) {
		front = true
	}
	if front {
		copy(w.buf[w.lo-1:], w.buf[w.lo:w.lo+i])
		w.lo--
	} else {
		copy(w.buf[w.lo+i+1:], w.buf[w.lo+i:w.hi])
		w.hi++
	}
	w.buf[w.lo+i] = v
}

// cut removes elements i to j (exclusive).
func (w *window[T]) cut(i, j int) {
	n := j - i
	if i < w.len()-j {
		copy(w.buf[w.lo+n:], w.buf[w.lo:w.lo+i])
		clear(w.buf[w.lo : w.lo+n])
		w.lo += n
		return
	}
	copy(w.buf[w.lo+i:], w.buf[w.lo+j:w.hi])
	clear(w.buf[w.hi-n : w.hi])
	w.hi -= n
}

// clone returns a copy without free space.
func (w *window[T]) clone() window[T] {
	return window[T]{buf: slices.Clone(w.items()), hi: w.len()}
}
