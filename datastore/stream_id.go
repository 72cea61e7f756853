package datastore

import (
	"math"
	"strconv"
)

// StreamID identifies an entry of a stream. Ids are ordered by Ms, then by Seq.
type StreamID struct {
	Ms  uint64 // ms since the epoch, when the store gives the id
	Seq uint64
}

// MaxStreamID is the greatest id; the zero StreamID is the smallest.
var MaxStreamID = StreamID{math.MaxUint64, math.MaxUint64}

// Compare returns -1, 0 or 1 if a is before, equal to or after b.
func (a StreamID) Compare(b StreamID) int {
	switch {
	case a == b:
		return 0
	case a.Before(b):
		return -1
	}
	return 1
}

// Before reports whether a is smaller than b.
func (a StreamID) Before(b StreamID) bool { return a.Ms < b.Ms || a.Ms == b.Ms && a.Seq < b.Seq }

// IsZero reports whether a is 0-0.
func (a StreamID) IsZero() bool { return a == StreamID{} }

// Next returns the id after a. If a is MaxStreamID, ok is false and id is 0-0.
func (a StreamID) Next() (id StreamID, ok bool) {
	switch {
	case a.Seq < math.MaxUint64:
		return StreamID{a.Ms, a.Seq + 1}, true
	case a.Ms < math.MaxUint64:
		return StreamID{a.Ms + 1, 0}, true
	}
	return StreamID{}, false
}

// Prev returns the id before a. If a is 0-0, ok is false and id is MaxStreamID.
func (a StreamID) Prev() (id StreamID, ok bool) {
	switch {
	case a.Seq > 0:
		return StreamID{a.Ms, a.Seq - 1}, true
	case a.Ms > 0:
		return StreamID{a.Ms - 1, math.MaxUint64}, true
	}
	return MaxStreamID, false
}

// String returns the id as replies show it: 1526919030474-55.
func (a StreamID) String() string {
	var b [41]byte
	return string(strconv.AppendUint(append(strconv.AppendUint(b[:0], a.Ms, 10), '-'), a.Seq, 10))
}
