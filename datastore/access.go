package datastore

// touch notes an access: its time and, under an LFU policy, that there was one more.
func (s *Store) touch(e *Entry) {
	if s.touching != 0 && !s.mayTouch(e) {
		return
	}
	freq := e.usage >> lruClockBits
	if s.limits.LFU {
		freq = s.countAccess(uint32(s.Freq(e)))
	}
	e.usage = freq<<lruClockBits | lruClock(s.Now())
}

// What may be special about lookups.
const (
	noTouch       uint8 = 1 << iota // they are no accesses
	touchRecorded                   // there is a Rerun
)

// SetNoTouch makes lookups count as accesses no more, or again.
func (s *Store) SetNoTouch(on bool) {
	if s.touching &^= noTouch; on {
		s.touching |= noTouch
	}
}

// mayTouch reports whether a lookup of e is an access, where it may be none, or may be undone.
func (s *Store) mayTouch(e *Entry) bool {
	if s.touching&noTouch != 0 {
		return false
	}
	s.rerun.keepUsage(e)
	return true
}

// countAccess is the frequency after one more access. The more often a key has been used, the less likely the
// frequency grows: one chance in (freq - newKeyFreq) * lfu-log-factor + 1.
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

// Freq is the access frequency of e, between 0 and 255: what the accesses so far have made of it, less one for every
// lfu-decay-time minutes since the last.
func (s *Store) Freq(e *Entry) uint8 {
	freq := int64(e.usage >> lruClockBits)
	if decay := int64(s.limits.LFUDecayTime); decay > 0 {
		freq = max(0, freq-e.Idle(s.Now())/60000/decay)
	}
	return uint8(freq)
}
