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
	at, size int   // its bytes
	run      int   // how many registers it stands for
	count    uint8 // what they hold
}

// opAt reads the opcode at i < len(text). Behind an XZERO that the end cuts off Redis reads a zero byte.
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

// A Place is where a register stands in a sparse form.
type Place struct {
	op    op
	first int // the first register that op stands for
	index int // the register
	prev  int // where the opcode before op begins, or op itself
}

// Count is what the register holds.
func (p *Place) Count() uint8 { return p.op.count }

// Find looks a register up in a valid sparse form. It may find one although behind it the form is corrupted.
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

// SetSparse gives the register at p, which Find returned for these bytes, a higher count, and returns the bytes, which may
// be others, or use up the room behind b. ok is false when that needs the dense form: because the count is
// too high for the sparse one, or the bytes would grow past limit; then b is as it was.
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

// split appends the opcodes that stand for the registers of p's opcode when one of them is changed.
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

// joinVals makes one opcode of neighbouring ones with the same count. It looks at five, from byte i on.
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

// sparseEach calls f for every run of registers that has a count, in order. Opcodes that end short of the last
// register or go past it are corrupted.
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
