package command

import (
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// timedCalls says how often a quick command is timed: so many first calls each, then one for as many, whose
// time stands for theirs. Reading a clock costs as much as a short command. All others are timed each.
const timedCalls = 16

// quickArgs is the number of arguments from which no command counts as quick.
const quickArgs = 32

// callTimed is call that takes the time, for INFO, SLOWLOG and LATENCY, unless the command is a quick one whose turn
// it is not.
func (s *Server) callTimed(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	if s.Monotonic == nil {
		return s.call(sess, door, spec, args)
	}
	st := &s.Stats.Calls[spec.ID]
	weight := int64(1)
	if spec.quick && !s.Config.timeAll && len(args) < quickArgs && st.Calls >= timedCalls {
		if st.Calls%timedCalls != 0 {
			return s.call(sess, door, spec, args)
		}
		weight = timedCalls
	}
	start := s.Monotonic()
	v := s.call(sess, door, spec, args)
	nanos := max(0, s.Monotonic()-start)
	st.Nanos += weight * nanos
	micros := nanos / 1000
	if s.Config.tracking {
		st.times.add(micros, weight)
	}
	if s.Config.slowerThan >= 0 && micros >= s.Config.slowerThan {
		s.noteSlow(sess, door, spec, args, micros)
	}
	if t := s.Config.latencyThreshold; t > 0 && micros/1000 >= t {
		event := "command"
		if spec.Flags&Fast != 0 {
			event = "fast-command"
		}
		s.latency.add(event, s.Store.Now()/1000, micros/1000)
	}
	return v
}

// histogram counts times by powers of two.
type histogram struct {
	counts *[histogramSize]int64
}

// histogramSize is the number of buckets: the last ends behind a second, beyond which times count as a second.
const histogramSize = 21

// bucketEnd is the end of a bucket in nanoseconds: 1024 << i and what two digits do not tell apart from it.
func bucketEnd(i int) int64 { return 1024<<i + 8<<i - 1 }

func (h *histogram) add(micros, weight int64) {
	if h.counts == nil {
		h.counts = new([histogramSize]int64)
	}
	nanos := 1000 * max(1, min(micros, 1e6))
	i := 0
	for i < histogramSize-1 && nanos > bucketEnd(i) {
		i++
	}
	h.counts[i] += weight
}

// reply is what LATENCY HISTOGRAM answers of a command: how many calls took so many microseconds or less.
func (h *histogram) reply(calls int64) reply.Value {
	var buckets []reply.Value
	sum := int64(0)
	for i, n := range h.counts {
		if n == 0 || sum >= calls {
			continue
		}
		sum = min(sum+n, calls) // a time that stands for several calls may stand for some that are to come
		buckets = append(buckets, reply.Int(bucketEnd(i)/1000), reply.Int(sum))
	}
	return reply.Map(reply.Bulk("calls"), reply.Int(sum), reply.Bulk("histogram_usec"), reply.Map(buckets...))
}
