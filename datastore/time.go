package datastore

// commandTime is the time that commands see. A command reads the clock at most once, when it first
// asks for the time: most never do.
type commandTime struct {
	clock  func() int64 // reads microseconds since the Unix epoch; nil: the time stands until SetNow
	micros int64        // the last reading, or the time of SetNow
	old    bool         // the command that runs has not read the clock
	fresh  bool         // micros was read for the command that begins next

	began    int64 // ms since the epoch: when the outermost command began
	beganOld bool  // began is not known yet
}

// SetClock gives the store the clock that commands read: microseconds since the Unix epoch. Without
// it, the time stands between calls of SetNow.
func (s *Store) SetClock(clock func() int64) { s.time.clock = clock }

// StopClock lets the time stand, except for SetNow, until resume is called.
func (s *Store) StopClock() (resume func()) {
	clock := s.time.clock
	s.time.clock = nil
	return func() { s.time.clock = clock }
}

// SetNow sets the time, in microseconds since the Unix epoch. It is the time of the next command.
func (s *Store) SetNow(micros int64) {
	t := &s.time
	t.micros, t.began, t.old, t.beganOld, t.fresh = micros, micros/1000, false, false, true
}

// Slept says that the present command has let time pass, on a clock that stands otherwise.
func (s *Store) Slept(micros int64) { s.time.micros = micros }

// BeginCommand says that a command of a client begins.
func (s *Store) BeginCommand() {
	if t := &s.time; t.clock != nil && !t.fresh {
		t.old, t.beganOld = true, true
	} else {
		t.began, t.fresh = t.micros/1000, false
	}
}

// BeginInner says that a command of a script, a function or a transaction begins. It sees the time
// move, but keys expire by the time at which the outermost command began: see FixExpiry.
func (s *Store) BeginInner() {
	if t := &s.time; t.clock != nil {
		t.old = true
	}
}

// FixExpiry lets keys expire by the present time until the next BeginCommand: what is there when a
// script begins is there until it ends, as in Redis.
func (s *Store) FixExpiry() { s.expiryTime() }

// RefixExpiry is FixExpiry for a script of a transaction, which has a beginning of its own. At its
// end the caller passes the result to ResetExpiry.
func (s *Store) RefixExpiry() (before int64) {
	before = s.expiryTime()
	s.time.began = s.Now()
	return before
}

// ResetExpiry ends what RefixExpiry has begun.
func (s *Store) ResetExpiry(before int64) { s.time.began = before }

// Now is the time of the command, in milliseconds since the Unix epoch.
func (s *Store) Now() int64 { return s.NowMicros() / 1000 }

// NowMicros is the time of the command, in microseconds since the Unix epoch.
func (s *Store) NowMicros() int64 {
	t := &s.time
	if t.old {
		t.micros, t.old = t.clock(), false
	}
	return t.micros
}

// LastNow is the time in milliseconds since the Unix epoch at which the clock was last read. It
// costs nothing, and is good for what counts in seconds.
func (s *Store) LastNow() int64 { return s.time.micros / 1000 }

// expiryTime is the time that decides whether a key has expired.
func (s *Store) expiryTime() int64 {
	t := &s.time
	if t.beganOld {
		t.began, t.beganOld = s.Now(), false
	}
	return t.began
}
