package hyperloglog

// The opcodes of the sparse form:
//
//	00nnnnnn           ZERO   n+1 registers of 0
//	01nnnnnn nnnnnnnn  XZERO  n+1 registers of 0
//	1cccccnn           VAL    n+1 registers of c+1
const (
	zeroMax     = 64
	valMaxRun   = 4
	valMaxCount = 32

	xzeroBit = 0x40
	valBit   = 0x80
)

// op is one opcode.
type op struct {
	at, size int   // position and number of its bytes
	run      int   // number of registers that it describes
	count    uint8 // their count
}

// opAt reads the opcode at i < len(text). As in Redis, the missing byte of a truncated XZERO is 0.
func opAt(text string, i int) op {
	switch c := text[i]; {
	case c&valBit != 0:
		return op{at: i, size: 1, run: int(c&3) + 1, count: c>>2&31 + 1}
	case c&xzeroBit == 0:
		return op{at: i, size: 1, run: int(c) + 1}
	default:
		low := byte(0)
		if i+1 < len(text) {
			low = text[i+1]
		}
		return op{at: i, size: 2, run: (int(c&0x3f)<<8 | int(low)) + 1}
	}
}

func appendZeros(b []byte, run int) []byte {
	if run > zeroMax {
		return append(b, byte((run-1)>>8)|xzeroBit, byte(run-1))
	}
	return append(b, byte(run-1))
}

func appendVal(b []byte, count uint8, run int) []byte { return append(b, valByte(count, run)) }

func valByte(count uint8, run int) byte { return valBit | (count-1)<<2 | byte(run-1) }

// A Place is the position of a register in a sparse form.
type Place struct {
	op    op
	first int // the first register that op describes
	index int // the register
	prev  int // position of the opcode before op, or of op if it is the first
}

// Count returns the count of the register.
func (p *Place) Count() uint8 { return p.op.count }

// Find finds a register in a valid sparse form. It does not check the form after the register.
func Find(text string, index int) (p Place, err error) {
	first, prev := 0, HeaderSize
	for i := HeaderSize; i < len(text); {
		run, size := 0, 1
		switch c := int(text[i]); {
		case c&valBit != 0:
			run = c&3 + 1
		case c&xzeroBit == 0:
			run = c + 1
		default:
			o := opAt(text, i)
			run, size = o.run, o.size
		}
		if index < first+run {
			return Place{op: opAt(text, i), first: first, index: index, prev: prev}, nil
		}
		first += run
		prev = i
		i += size
	}
	return Place{}, ErrCorrupted
}

// SetSparse raises the register at p, which Find returned for b, to count and returns the new
// bytes. They may be in a new slice, or use the free capacity of b. ok is false if the dense form
// is needed, because the count is too great for the sparse form or the result would be longer than
// limit bytes; then b is unchanged.
func SetSparse(b []byte, p Place, count uint8, limit int) (out []byte, ok bool) {
	if count > valMaxCount {
		return b, false
	}
	var parts [5]byte
	seq := p.split(parts[:0], count)
	grow := len(seq) - p.op.size
	if grow > 0 && len(b)+grow > limit {
		return b, false
	}
	next := p.op.at + p.op.size
	tail := len(b) - next
	if grow > 0 {
		b = append(b, make([]byte, grow)...)
	}
	if grow != 0 && tail > 0 {
		copy(b[next+grow:], b[next:next+tail])
	}
	if grow < 0 {
		b = b[:len(b)+grow]
	}
	copy(b[p.op.at:], seq)
	SetStale(b)
	return joinVals(b, p.prev), true
}

// split appends the opcodes that replace p's opcode when register p gets another count.
func (p *Place) split(seq []byte, count uint8) []byte {
	some := func(run int) {
		switch {
		case run == 0:
		case p.op.count == 0:
			seq = appendZeros(seq, run)
		default:
			seq = appendVal(seq, p.op.count, run)
		}
	}
	some(p.index - p.first)
	seq = appendVal(seq, count, 1)
	some(p.first + p.op.run - 1 - p.index)
	return seq
}

// joinVals merges neighbouring VAL opcodes with the same count, among five opcodes from byte i on.
func joinVals(b []byte, i int) []byte {
	for looks := 5; looks > 0 && i < len(b); looks-- {
		switch c := b[i]; {
		case c&valBit == 0 && c&xzeroBit != 0:
			i += 2
			continue
		case c&valBit != 0 && i+1 < len(b) && b[i+1]&valBit != 0:
			next := b[i+1]
			run := int(c&3) + int(next&3) + 2
			if c>>2 == next>>2 && run <= valMaxRun {
				b[i+1] = c&^3 | byte(run-1)
				b = append(b[:i], b[i+1:]...)
				continue
			}
		}
		i++
	}
	return b
}

// sparseEach calls f for every run of registers with a count above 0, in order. The error is
// ErrCorrupted if the opcodes describe fewer or more than all registers.
func sparseEach(text string, f func(index, run int, count uint8)) error {
	index := 0
	for i := HeaderSize; i < len(text); {
		o := opAt(text, i)
		if index+o.run > Registers {
			return ErrCorrupted
		}
		if o.count > 0 {
			f(index, o.run, o.count)
		}
		index += o.run
		i += o.size
	}
	if index != Registers {
		return ErrCorrupted
	}
	return nil
}

// Dense returns the dense form of a valid sparse one, with the same header.
func Dense(text string) ([]byte, error) {
	b := make([]byte, denseSize)
	copy(b, text[:HeaderSize])
	b[encodingAt] = denseForm
	err := sparseEach(text, func(index, run int, count uint8) {
		for k := range run {
			DenseSet(b, index+k, count)
		}
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}
