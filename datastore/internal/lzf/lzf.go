package lzf

import (
	"math"
	"sync"
)

// Sizes of the format and of the search that Redis's build uses. Which references a compressor finds depends on
// the hash of three bytes and on what it remembers: Compress follows that build byte by byte.
const (
	maxLiteral  = 32   // bytes in one literal run
	maxDistance = 8192 // how far back a reference reaches
	maxMatch    = 264  // bytes that one reference stands for
	hashBits    = 16

	// maxExpansion bounds how many bytes one byte of a compressed text can stand for.
	maxExpansion = 88
)

// slot is the place of the three bytes at p in the compressor's memory.
func slot(p []byte) uint16 {
	h := uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
	return uint16(h>>(24-hashBits) - h*5)
}

// memory holds the last place of three bytes with a hash. It is used again for the next text: places from base on
// are those of the present one.
type memory struct {
	seen [1 << hashBits]uint32 // base + place
	base uint32
	next uint32 // base of the next text
}

var memories = sync.Pool{New: func() any { return &memory{next: 1} }}

// clear forgets everything, for a text of n bytes.
func (m *memory) clear(n int) {
	if uint64(m.next)+uint64(n) > math.MaxUint32 {
		m.seen, m.next = [1 << hashBits]uint32{}, 1
	}
	m.base = m.next
	m.next += uint32(n)
}

// swap remembers place i under hash h and returns the place before, negative when there is none.
func (m *memory) swap(h uint16, i int) (before int) {
	at := m.seen[h]
	m.seen[h] = m.base + uint32(i)
	if at < m.base {
		return -1
	}
	return int(at - m.base)
}

// Compress returns src in compressed form, or nil when that would be longer than limit bytes.
func Compress(src []byte, limit int) []byte {
	if len(src) == 0 || limit <= 0 || int64(len(src)) >= math.MaxUint32 {
		return nil
	}
	c := compressor{src: src, out: make([]byte, 1, min(limit, 1<<12)), limit: limit}
	m := memories.Get().(*memory)
	defer memories.Put(m)
	m.clear(len(src))
	i := 0
	for i+2 < len(src) {
		ref := m.swap(slot(src[i:]), i)
		// The first byte of all is never referred to.
		if ref <= 0 || i-ref > maxDistance || src[ref] != src[i] || src[ref+1] != src[i+1] || src[ref+2] != src[i+2] {
			if !c.literal(src[i]) {
				return nil
			}
			i++
			continue
		}
		n := c.match(ref, i)
		if !c.reference(i-ref-1, n-2) {
			return nil
		}
		i += n
		if i+2 >= len(src) {
			break
		}
		// Of the bytes passed over only the last two places are remembered.
		m.swap(slot(src[i-2:]), i-2)
		m.swap(slot(src[i-1:]), i-1)
	}
	if len(c.out)+3 > limit {
		return nil
	}
	for ; i < len(src); i++ {
		c.literal(src[i])
	}
	c.endRun()
	return c.out
}

// compressor writes instructions. The last byte written before the current run of literals is kept free for
// its length.
type compressor struct {
	src, out []byte
	run      int // literals in the current run
	limit    int
}

// literal adds a byte to the run; it fails when there is no room.
func (c *compressor) literal(b byte) bool {
	if len(c.out) >= c.limit {
		return false
	}
	c.out = append(c.out, b)
	if c.run++; c.run == maxLiteral {
		c.out[len(c.out)-1-c.run] = maxLiteral - 1
		c.out = append(c.out, 0)
		c.run = 0
	}
	return true
}

// endRun closes the run, or takes its length byte back when it is empty.
func (c *compressor) endRun() {
	if c.run == 0 {
		c.out = c.out[:len(c.out)-1]
		return
	}
	c.out[len(c.out)-1-c.run] = byte(c.run - 1)
	c.run = 0
}

// reference closes the run and writes a reference; length is the bytes it stands for less two.
func (c *compressor) reference(distance, length int) bool {
	room := len(c.out) + 4
	if c.run == 0 {
		room--
	}
	if room >= c.limit {
		return false
	}
	c.endRun()
	if length < 7 {
		c.out = append(c.out, byte(distance>>8|length<<5))
	} else {
		c.out = append(c.out, byte(distance>>8|7<<5), byte(length-7))
	}
	c.out = append(c.out, byte(distance), 0)
	return true
}

// match counts the equal bytes at ref and at i, three of which are known. It stops two bytes before the end of the text,
// but where more than 16 are left to that point it asks for the point only from the 19th byte on.
func (c *compressor) match(ref, i int) int {
	limit := min(len(c.src)-i-2, maxMatch)
	n, unasked := 3, 3
	if limit > 16 {
		unasked = 19
	}
	for n < max(unasked, limit) && c.src[ref+n] == c.src[i+n] {
		n++
	}
	return n
}

// Decompress returns the text of the given size that src is the compressed form of; ok is false when src is
// no compressed form of a text of that size.
func Decompress(src []byte, size int) (text []byte, ok bool) {
	if size < 0 || size > len(src)*maxExpansion {
		return nil, false
	}
	text = make([]byte, 0, size)
	for i := 0; i < len(src); {
		head := int(src[i])
		i++
		if head < maxLiteral {
			n := head + 1
			if i+n > len(src) || len(text)+n > size {
				return nil, false
			}
			text = append(text, src[i:i+n]...)
			i += n
			continue
		}
		n := head >> 5
		if n == 7 {
			if i >= len(src) {
				return nil, false
			}
			n += int(src[i])
			i++
		}
		if i >= len(src) {
			return nil, false
		}
		from := len(text) - (head&31)<<8 - int(src[i]) - 1
		i++
		n += 2
		if from < 0 || len(text)+n > size {
			return nil, false
		}
		for ; n > 0; n-- { // the source may overlap what it makes
			text = append(text, text[from])
			from++
		}
	}
	return text, len(text) == size
}
