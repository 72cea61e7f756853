package server

// Rates measures commands and bytes a second over about the last 1.6 seconds, as Redis does.
type Rates struct {
	marks [rateMarks]rateMark // a ring buffer
	next  int
}

// rateMark holds the counters at one time.
type rateMark struct {
	micros                  int64 // 0: unused
	commands, netIn, netOut int64
}

const (
	rateMarks  = 16
	ratePeriod = 100_000 // minimal time between two marks, in us
)

// Mark records the current counters. Caller must call it again at the returned time (us) or later.
func (s *Server) Mark() (next int64) {
	st, now := &s.Stats, s.Store.NowMicros()
	s.Rates.marks[s.Rates.next] = rateMark{now, st.Commands, st.NetIn, st.NetOut}
	s.Rates.next = (s.Rates.next + 1) % rateMarks
	return now + ratePeriod
}

// read returns the commands, input bytes and output bytes a second, measured since the newest mark
// that is older than the usual span of all marks.
func (r *Rates) read(s *Server) (ops, in, out float64) {
	st, now := &s.Stats, s.Store.NowMicros()
	var since rateMark
	for i := range rateMarks {
		m := r.marks[(r.next+i)%rateMarks] // oldest first
		if m.micros == 0 {
			continue
		}
		if since.micros == 0 || m.micros <= now-rateMarks*ratePeriod {
			since = m
		}
	}
	if since.micros == 0 || now <= since.micros {
		return 0, 0, 0
	}
	each := 1e6 / float64(now-since.micros)
	return float64(st.Commands-since.commands) * each, float64(st.NetIn-since.netIn) * each, float64(st.NetOut-since.netOut) * each
}
