package faultdisk

import "slices"

// sector is the number of bytes that the model writes or loses together.
const sector = 512

// node is a file. The Disk's lock guards it.
type node struct {
	live    []byte   // what a reader sees
	safe    []byte   // what a crash leaves at least
	pending []change // changes of live that are not in safe yet, in order
}

// change is a write of data at an offset, or a truncation.
type change struct {
	truncate bool
	at       int64 // the offset, or the new size
	data     []byte
}

// apply returns b after the change. A gap before the data becomes zero bytes.
func (c change) apply(b []byte) []byte {
	if c.truncate {
		return resize(b, c.at)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(b)) {
		b = resize(b, end)
	}
	copy(b[c.at:], c.data)
	return b
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

func (n *node) change(c change) {
	n.live = c.apply(n.live)
	n.pending = append(n.pending, c)
}

func (n *node) sync() {
	for _, c := range n.pending {
		n.safe = c.apply(n.safe)
	}
	n.pending = nil
}

// afterCrash returns the file that a crash leaves. pick(k) returns a number from 0 to k-1: here,
// how many units of the pending changes reached the disk (a truncation is one unit, a written byte
// is one), and then for each sector that was written whether it is zero; pick answers k-1 if it is.
func (n *node) afterCrash(pick func(k int) int) *node {
	total := 0
	for _, c := range n.pending {
		total += c.units()
	}
	kept := pick(total + 1)
	b := slices.Clone(n.safe)
	for _, c := range n.pending {
		if kept <= 0 {
			break
		}
		if !c.truncate && c.units() > kept {
			c.data = c.data[:kept]
		}
		b = c.apply(b)
		kept -= c.units()
	}
	b = n.loseSectors(b, pick)
	return &node{live: b, safe: slices.Clone(b)}
}

// loseSectors zeroes what the end of b gained, by sectors: it was never written to the disk
// although the size was.
func (n *node) loseSectors(b []byte, pick func(k int) int) []byte {
	const odds = 8
	for from := len(n.safe); from < len(b); {
		to := min(from/sector*sector+sector, len(b))
		if pick(odds) == odds-1 {
			clear(b[from:to])
		}
		from = to
	}
	return b
}

func (c change) units() int {
	if c.truncate {
		return 1
	}
	return len(c.data)
}
