package datastore

import (
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/sizeclass"
)

// Usage estimates the heap size in bytes of the key e and its value: structs, tables and strings,
// each string rounded up to the size class of Go's allocator. It takes constant time and is
// deterministic: the same commands give the same number.
func (s *Store) Usage(e *Entry) int { return e.size() }

// inTable is the size of a key in the table of its database: a pointer to the entry, and two slots
// of the index, which is half full on average.
const inTable = 8 + 2*8

// inHeap is the size of an expiring key in the expiry heap.
const inHeap = 8

// size is the size of the entry, its key and its value, without inHeap.
func (e *Entry) size() int {
	return inTable + int(unsafe.Sizeof(*e)) + textSize(len(e.key)) + sizeOf(e.obj)
}

// sizeOf is the size of a value.
func sizeOf(o Object) int {
	switch o := o.(type) {
	case *String:
		return o.bytes()
	case *Hash:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.Bytes() + o.dict.Texts
		}
		if o.times != nil {
			const inMap = 48 // a field, a pointer, and the unused part of the map
			n += int(unsafe.Sizeof(*o.times)) + len(o.times.byField)*(int(unsafe.Sizeof(Entry{}))+inHeap+inMap)
		}
		return n
	case *Set:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.ints))
		if o.lp != nil {
			n += int(unsafe.Sizeof(*o.lp)) + textSize(cap(*o.lp))
		}
		if o.dict != nil {
			n += o.dict.Bytes() + o.dict.Texts
		}
		return n
	case *ZSet:
		n := int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.Bytes() + o.dict.Texts + o.tree.Bytes()
		}
		return n
	case *List:
		return o.bytes()
	case *Stream:
		return int(unsafe.Sizeof(*o)) + o.bytes
	}
	return 0
}

// textSize returns the heap size of a string or slice of n bytes.
func textSize(n int) int { return sizeclass.Round(n) }

// bytes is the size of a string. The text of an integer does not count.
func (s *String) bytes() int {
	n := int(unsafe.Sizeof(*s))
	if s.enc != encInt {
		n += textSize(max(len(s.text), int(s.num)))
	}
	return n
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
func (db *DB) Overhead() int { return db.keys.Bytes() }
