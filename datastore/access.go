package datastore

// touch records an access to e: the time and, under an LFU policy, a higher frequency.
func (s *Store) touch(e *Entry) {
	if s.touching != 0 && !s.mayTouch(e) {
		return
	}
	freq := e.usage >> lruClockBits
	if s.limits.LFU {
		freq = s.countAccess(uint32(s.Freq(e)))
	}
	e.usage = freq<<lruClockBits | lruClock(s.LastNow())
}

// Bits of Store.touching: what makes lookups special.
const (
	noTouch       uint8 = 1 << iota // lookups do not count as accesses
	touchRecorded                   // changes are journaled
)

// SetNoTouch turns off (true) or on (false) that a lookup counts as an access, as CLIENT NO-TOUCH
// does.
func (s *Store) SetNoTouch(on bool) {
	if s.touching &^= noTouch; on {
		s.touching |= noTouch
	}
}

// mayTouch reports whether a lookup of e counts as an access. It is called only while
// Store.touching is set.
func (s *Store) mayTouch(e *Entry) bool {
	if s.touching&noTouch != 0 {
		return false
	}
	if old := e.usage; s.limits.LFU || old&lruClockMax != lruClock(s.LastNow()) {
		s.record(func() { e.usage = old })
	}
	return true
}

// countAccess returns the frequency after one more access. The more often a key has been used, the
// less likely the frequency grows: with probability 1 / ((freq - newKeyFreq) * lfu-log-factor + 1).
func (s *Store) countAccess(freq uint32) uint32 {
	if freq == 255 {
		return freq
	}
	used := max(0, int64(freq)-newKeyFreq)
	if odds := used*int64(s.limits.LFULogFactor) + 1; odds > 1 && s.rng.Int64N(odds) != 0 {
		return freq
	}
	return freq + 1
}

// Freq returns the access frequency of e, 0 to 255, as OBJECT FREQ does: a logarithmic counter of
// its accesses, less one for every lfu-decay-time minutes since the last access.
func (s *Store) Freq(e *Entry) uint8 {
	freq := int64(e.usage >> lruClockBits)
	if decay := int64(s.limits.LFUDecayTime); decay > 0 {
		freq = max(0, freq-e.Idle(s.Now())/60000/decay)
	}
	return uint8(freq)
}
