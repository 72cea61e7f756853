package server

// rates measures commands and bytes a second over about the last 1.6 seconds, as Redis does.
type rates struct {
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

// Mark records the counters at the time now, in us since the epoch. Caller must call it again at
// the returned time (us) or later.
func (m Control) Mark(now int64) (next int64) {
	r, st := &m.rates, &m.Stats
	r.marks[r.next] = rateMark{now, st.Commands, st.NetIn, st.NetOut}
	r.next = (r.next + 1) % rateMarks
	return now + ratePeriod
}

// readRates returns the commands, input bytes and output bytes a second, measured since the newest
// mark that is older than the usual span of all marks.
func (m *measured) readRates(now int64) (ops, in, out float64) {
	r, st := &m.rates, &m.Stats
	var since rateMark
	for i := range rateMarks {
		mark := r.marks[(r.next+i)%rateMarks] // oldest first
		if mark.micros == 0 {
			continue
		}
		if since.micros == 0 || mark.micros <= now-rateMarks*ratePeriod {
			since = mark
		}
	}
	if since.micros == 0 || now <= since.micros {
		return 0, 0, 0
	}
	each := 1e6 / float64(now-since.micros)
	return float64(st.Commands-since.commands) * each, float64(st.NetIn-since.netIn) * each, float64(st.NetOut-since.netOut) * each
}
