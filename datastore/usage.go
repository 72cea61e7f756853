package datastore

import (
	"math/bits"
	"unsafe"
)

// Usage estimates the bytes that key e and its value take on the heap: the structs, tables and texts, each text in
// the size that Go's allocator rounds it up to. It takes constant time. The same commands give the same number.
func (s *Store) Usage(e *Entry) int { return e.size() }

// inTable is what a key takes in the table of its database: a pointer to the entry and, the index being half full, two
// of its places.
const inTable = 8 + 2*8

// inHeap is what a key that expires takes in the heap of those.
const inHeap = 8

// size is what the entry, its key and its value take, but for its place in the heap of keys that expire.
func (e *Entry) size() int {
	return inTable + int(unsafe.Sizeof(*e)) + textSize(len(e.key)) + sizeOf(e.obj)
}

// sizeOf is what a value takes.
func sizeOf(o Object) int {
	switch o := o.(type) {
	case *String:
		return o.bytes()
	case *Hash:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.bytes() + o.dict.texts
		}
		if o.times != nil {
			const inMap = 48 // a field, a pointer and the room between them
			n += int(unsafe.Sizeof(*o.times)) + len(o.times.byField)*(int(unsafe.Sizeof(Entry{}))+inHeap+inMap)
		}
		return n
	case *Set:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.ints))
		if o.dict != nil {
			n += o.dict.bytes() + o.dict.texts
		}
		return n
	case *ZSet:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.bytes() + o.dict.texts + o.tree.bytes()
		}
		return n
	case *List:
		return o.bytes()
	case *Stream:
		return int(unsafe.Sizeof(*o)) + o.bytes
	}
	return 0
}

// textSize is what the allocator gives for n bytes.
func textSize(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 32:
		return (n + 7) &^ 7
	case n <= 256:
		return (n + 15) &^ 15
	case n <= 32<<10:
		step := 1<<(bits.Len(uint(n))-4) - 1 // an eighth of the power of two below n, less 1
		return (n + step) &^ step
	}
	return (n + 8191) &^ 8191
}

// bytes is the size of a string: an integer's text counts for nothing.
func (s *String) bytes() int {
	n := int(unsafe.Sizeof(*s))
	if s.enc != encInt {
		n += textSize(max(len(s.text), int(s.num)))
	}
	return n
}

// bytes is the size of a table without the texts in it.
func (t *table[E]) bytes() int {
	var e E
	n := int(unsafe.Sizeof(*t)) + 8*len(t.index) + 24*cap(t.chunks)
	if len(t.chunks) > 0 {
		n += (cap(t.chunks[0]) + (len(t.chunks)-1)*chunkSize) * int(unsafe.Sizeof(e))
	}
	return n
}

// bytes is the size of the tree.
func (t *ztree) bytes() int {
	return int(unsafe.Sizeof(*t)) + t.leaves*int(unsafe.Sizeof(zleaf{})) + t.inners*int(unsafe.Sizeof(zinner{}))
}

// bytes is the size of the list.
func (l *List) bytes() int {
	n := int(unsafe.Sizeof(*l)) + 8*cap(l.nodes.buf) + l.inner
	switch l.nodes.len() {
	case 0:
	case 1:
		n += l.first().bytes()
	default:
		n += l.first().bytes() + l.last().bytes()
	}
	return n
}

// Overhead is the size in bytes of the table of keys, without keys and values.
func (db *DB) Overhead() int { return db.keys.bytes() }
