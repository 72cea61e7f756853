package server

// Rates tell of commands and bytes a second, over about the last 1.6 seconds, as in Redis.
type Rates struct {
	marks [rateMarks]rateMark // in a circle
	next  int
}

// rateMark is what the counters said at a time.
type rateMark struct {
	micros                  int64 // 0: none
	commands, netIn, netOut int64
}

const (
	rateMarks  = 16
	ratePeriod = 100_000 // us between two marks, at least
)

// Mark notes what the counters say now. Caller must call it again when the time that it answers
// (us) has come, or later.
func (s *Server) Mark() (next int64) {
	st, now := &s.Stats, s.Store.NowMicros()
	s.Rates.marks[s.Rates.next] = rateMark{now, st.Commands, st.NetIn, st.NetOut}
	s.Rates.next = (s.Rates.next + 1) % rateMarks
	return now + ratePeriod
}

// read answers commands, bytes in and bytes out a second: since the newest mark that is older than
// all marks together usually are.
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
