package lzf

import (
	"math"
	"sync"
)

// Sizes of the format and of the search. Which references a compressor finds depends on its hash of
// three bytes and on its hash table; Compress gives the same bytes as Redis's build of liblzf.
const (
	maxLiteral  = 32   // bytes in one literal run
	maxDistance = 8192 // how far back a reference reaches
	maxMatch    = 264  // greatest length of a reference
	hashBits    = 16

	// maxExpansion is the greatest number of bytes that one compressed byte can expand to.
	maxExpansion = 88
)

// slot returns the slot of the three bytes at p in the hash table.
func slot(p []byte) uint16 {
	h := uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
	return uint16(h>>(24-hashBits) - h*5)
}

// memory is the hash table: the last position of three bytes with a hash. It is reused for the next
// text without being cleared: values from base on belong to the current text.
type memory struct {
	seen [1 << hashBits]uint32 // base + position
	base uint32
	next uint32 // base of the next text
}

var memories = sync.Pool{New: func() any { return &memory{next: 1} }}

// clear prepares the table for a text of n bytes.
func (m *memory) clear(n int) {
	if uint64(m.next)+uint64(n) > math.MaxUint32 {
		m.seen, m.next = [1 << hashBits]uint32{}, 1
	}
	m.base = m.next
	m.next += uint32(n)
}

// swap sets the position of hash h to i and returns the old one, negative if there is none.
func (m *memory) swap(h uint16, i int) (before int) {
	at := m.seen[h]
	m.seen[h] = m.base + uint32(i)
	if at < m.base {
		return -1
	}
	return int(at - m.base)
}

// Compress returns src in compressed form, or nil if that would be longer than limit bytes.
func Compress(src []byte, limit int) []byte { return CompressPausing(src, limit, nil) }

// pauseBytes is the number of bytes of a text between two pauses of CompressPausing.
const pauseBytes = 16 << 10

// CompressPausing is Compress, but calls pause, if it is not nil, after each 16 KiB of src.
func CompressPausing(src []byte, limit int, pause func()) []byte {
	if len(src) == 0 || limit <= 0 || int64(len(src)) >= math.MaxUint32 {
		return nil
	}
	c := compressor{src: src, out: make([]byte, 1, min(limit, 1<<12)), limit: limit}
	m := memories.Get().(*memory)
	defer memories.Put(m)
	m.clear(len(src))
	i, next := 0, pauseBytes
	for i+2 < len(src) {
		if i >= next && pause != nil {
			pause()
			next = i + pauseBytes
		}
		ref := m.swap(slot(src[i:]), i)
		// As in liblzf, a reference to the first byte is never made.
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
		// As in liblzf, of the bytes of a match only the last two positions enter the table.
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

// compressor writes instructions. The byte before the current run of literals is reserved for its
// length.
type compressor struct {
	src, out []byte
	run      int // literals in the current run
	limit    int
}

// literal adds a byte to the run; it reports false if the limit is reached.
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

// endRun ends the run, or removes its length byte if it is empty.
func (c *compressor) endRun() {
	if c.run == 0 {
		c.out = c.out[:len(c.out)-1]
		return
	}
	c.out[len(c.out)-1-c.run] = byte(c.run - 1)
	c.run = 0
}

// reference ends the run and writes a reference; length is the number of bytes minus two.
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

// match counts the equal bytes at ref and at i, of which three are known to be equal. It stops two
// bytes before the end of the text; as in liblzf, if more than 16 bytes are left, it checks that
// limit only from the 19th byte on.
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

// Decompress returns the text of size bytes that src is the compressed form of; ok is false if src
// is malformed or its text has another size.
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
		for ; n > 0; n-- { // the source may overlap the result
			text = append(text, text[from])
			from++
		}
	}
	return text, len(text) == size
}
