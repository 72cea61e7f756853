package hyperloglog

const (
	registerBits = 6
	registerMax  = 1<<registerBits - 1
)

// A register begins in byte i, shifted by some bits, and may end in the next one.
func denseAt(index int) (i int, shift uint) {
	at := uint(index) * registerBits
	return HeaderSize + int(at>>3), at & 7
}

// DenseGet returns a register of a valid dense form.
func DenseGet(text string, index int) uint8 {
	i, shift := denseAt(index)
	v := text[i] >> shift
	if shift > 8-registerBits {
		v |= text[i+1] << (8 - shift)
	}
	return v & registerMax
}

// DenseSet writes a register of a valid dense form.
func DenseSet(b []byte, index int, count uint8) {
	i, shift := denseAt(index)
	b[i] = b[i]&^(registerMax<<shift) | count<<shift
	if shift > 8-registerBits {
		b[i+1] = b[i+1]&^(registerMax>>(8-shift)) | count>>(8-shift)
	}
}

// DenseSpan returns the range of bytes, to exclusive, that DenseSet changes.
func DenseSpan(index int) (from, to int) {
	i, shift := denseAt(index)
	if shift > 8-registerBits {
		return i, i + 2
	}
	return i, i + 1
}

// four reads the four registers in the three bytes from i on.
func four(text string, i int) (a, b, c, d uint8) {
	w := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16
	return uint8(w & registerMax), uint8(w >> 6 & registerMax), uint8(w >> 12 & registerMax), uint8(w >> 18)
}
