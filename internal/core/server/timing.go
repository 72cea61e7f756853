package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// timedCalls limits the timing of quick commands, because reading a clock costs as much as a short
// command. The first timedCalls calls are timed, then one of so many, which counts for all of them.
// All other commands are always timed.
const timedCalls = 16

// quickArgs is the number of arguments from which a command does not count as quick.
const quickArgs = 32

// callTimed is call with a measurement for INFO, SLOWLOG and LATENCY. It skips most calls of quick
// commands; see timedCalls.
func (s *Server) callTimed(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, p Program) reply.Value {
	st := s.Stats.Calls.Of(spec.ID)
	weight := int64(1)
	if spec.Short && !s.Config.TimeEveryCall && s.Hot == nil && len(args) < quickArgs && st.Calls >= timedCalls {
		if st.Calls%timedCalls != 0 {
			return s.call(sess, door, spec, args, p)
		}
		weight = timedCalls
	}
	start := s.Owner.Monotonic()
	v := s.call(sess, door, spec, args, p)
	nanos := max(0, s.Owner.Monotonic()-start)
	st.Nanos += weight * nanos
	if s.Run.stat != nil && !door.FromScript() {
		s.Run.count(nanos, v.IsError())
	}
	micros := nanos / 1000
	if s.Hot != nil {
		s.noteHot(sess, door, spec, args, v, micros)
	}
	waits := s.Blocked != nil && door == cmdtable.DoorClient
	if s.Config.LatencyTracking && !waits {
		st.Times.add(micros, weight)
	}
	if s.Config.SlowlogSlowerThan >= 0 && !waits && micros >= s.Config.SlowlogSlowerThan {
		s.noteSlow(sess, door, spec, args, micros)
	}
	if s.Config.LatencyThreshold > 0 {
		event := "command"
		if spec.Flags&cmdtable.Fast != 0 {
			event = "fast-command"
		}
		s.noteLatency(event, nanos)
	}
	return v
}
