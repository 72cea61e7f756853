package datastore

import (
	"unsafe"
)

// Usage estimates the bytes that key e and its value take on the heap: the structs, tables and texts, each text in
// the size that Go's allocator rounds it up to. Of a collection's texts the first samples are measured and stand for the
// rest; 0 measures all. The same keyspace made by the same commands gives the same number.
func (s *Store) Usage(e *Entry, samples int) int {
	const inTable = 8 + 8 // the pointer to the entry and its place in the index
	n := inTable + int(unsafe.Sizeof(*e)) + textSize(len(e.key))
	switch o := e.obj.(type) {
	case *String:
		n += int(unsafe.Sizeof(*o))
		if o.enc != encInt {
			n += textSize(max(o.Len(), int(o.num)))
		}
	case *Hash:
		n += int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.bytes() + sampled(o.dict.Len(), samples, func(f func(int) bool) {
				o.dict.All(func(k, v string) bool { return f(textSize(len(k)) + textSize(len(v))) })
			})
		}
	case *Set:
		n += int(unsafe.Sizeof(*o)) + textSize(cap(o.ints))
		if o.dict != nil {
			n += o.dict.bytes() + sampled(o.dict.Len(), samples, func(f func(int) bool) {
				o.dict.All(func(k string, _ struct{}) bool { return f(textSize(len(k))) })
			})
		}
	case *ZSet:
		n += int(unsafe.Sizeof(*o)) + textSize(cap(o.lp))
		if o.dict != nil {
			n += o.dict.bytes() + o.tree.root.bytes() + sampled(o.dict.Len(), samples, func(f func(int) bool) {
				o.dict.All(func(k string, _ float64) bool { return f(textSize(len(k))) })
			})
		}
	case *List:
		n += int(unsafe.Sizeof(*o)) + o.bytes(samples)
	case *Stream:
		n += int(unsafe.Sizeof(*o)) + o.bytes(samples)
	}
	return n
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
		step := 32 // an eighth of the power of two below n
		for step*16 <= n {
			step *= 2
		}
		return (n + step - 1) / step * step
	}
	return (n + 8191) &^ 8191
}

// sampled is the size of n things, measured by the first samples of those that each tells.
func sampled(n, samples int, each func(f func(size int) bool)) int {
	if samples <= 0 || samples > n {
		samples = n
	}
	sum, seen := 0, 0
	each(func(size int) bool {
		sum += size
		seen++
		return seen < samples
	})
	if seen == 0 {
		return 0
	}
	return int(int64(sum) * int64(n) / int64(seen))
}

// bytes is the size of a table without the texts in it.
func (t *table[E]) bytes() int {
	var e E
	n := int(unsafe.Sizeof(*t)) + 8*len(t.index) + 24*cap(t.chunks)
	for _, c := range t.chunks {
		n += cap(c) * int(unsafe.Sizeof(e))
	}
	return n
}

// bytes is the size of a node and those below it.
func (n *znode) bytes() int {
	size := int(unsafe.Sizeof(*n)) + 8*cap(n.kids) + 4*cap(n.counts)
	for _, kid := range n.kids {
		size += kid.bytes()
	}
	return size
}

func (l *List) bytes(samples int) int {
	return 8*cap(l.nodes.buf) + sampled(l.nodes.len(), samples, func(f func(int) bool) {
		for _, c := range l.nodes.items() {
			if !f(c.bytes()) {
				return
			}
		}
	})
}

func (s *Stream) bytes(samples int) int {
	n := 8 * cap(s.nodes.chunks.buf)
	for _, c := range s.nodes.chunks.items() {
		n += int(unsafe.Sizeof(*c)) + int(unsafe.Sizeof(StreamID{}))*cap(c.ids) + 24*cap(c.vals)
	}
	n += sampled(s.nodes.n, samples, func(f func(int) bool) {
		for _, c := range s.nodes.chunks.items() {
			for _, node := range c.vals {
				if !f(textSize(cap(node))) {
					return
				}
			}
		}
	})
	for _, g := range s.groups {
		n += int(unsafe.Sizeof(*g)) + textSize(len(g.name))
		n += g.pending.n * int(unsafe.Sizeof(streamPending{})+2*unsafe.Sizeof(StreamID{})+2*8) // in the group and in the consumer
		for _, c := range g.consumers {
			n += int(unsafe.Sizeof(*c)) + textSize(len(c.name))
		}
	}
	return n
}

// Overhead is the size in bytes of the table of keys, without keys and values.
func (db *DB) Overhead() int { return db.keys.bytes() }
