package server

import (
	"maps"
	"slices"
)

// latencyLog holds samples of events that took at least latency-monitor-threshold.
type latencyLog struct {
	Events map[string]*latencyEvent
}

type latencyEvent struct {
	Samples []latencySample // oldest first
	Max     int64           // in ms, over all samples since the reset
}

type latencySample struct{ At, Ms int64 } // At is in seconds since the epoch

// latencySamples is the number of samples that are kept of an event.
const latencySamples = 160

// add records a sample. Of the samples of one second only the longest is kept.
func (l *latencyLog) add(event string, at, ms int64) {
	e := l.Events[event]
	if e == nil {
		if l.Events == nil {
			l.Events = map[string]*latencyEvent{}
		}
		e = &latencyEvent{}
		l.Events[event] = e
	}
	e.Max = max(e.Max, ms)
	if n := len(e.Samples); n > 0 && e.Samples[n-1].At == at {
		e.Samples[n-1].Ms = max(e.Samples[n-1].Ms, ms)
		return
	}
	if len(e.Samples) == latencySamples {
		e.Samples = slices.Delete(e.Samples, 0, 1)
	}
	e.Samples = append(e.Samples, latencySample{at, ms})
}

// noteLatency records a sample of nanos ns if it is at least latency-monitor-threshold.
func (s *Server) noteLatency(event string, nanos int64) {
	if t, ms := s.Config.LatencyThreshold, nanos/1e6; t > 0 && ms >= t {
		s.Latency.add(event, s.Store.Now()/1000, ms)
	}
}

// Names returns the sorted names of the events that have samples.
func (l *latencyLog) Names() []string { return slices.Sorted(maps.Keys(l.Events)) }
