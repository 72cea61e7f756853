package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// memoryState is the state of maxmemory.
type memoryState struct {
	// out is set if the last command of a client found the limit exceeded and nothing to evict. It
	// stays set when the limit is removed, as in Redis.
	out       bool
	scriptOut bool  // the running script began while out was set, and does not allow that
	pending   bool  // a call of Evict is scheduled
	since     int64 // when the limit was exceeded, in ns of Monotonic; 0: it is not
	exceeded  int64 // ns of all earlier periods
	peak      uint64
	peakAt    int64 // time of the peak in ms since the epoch
}

// StartupMemory is the approximate memory of an empty engine: tables, commands and one Lua state.
const StartupMemory = 448 << 10

// UsedMemory returns the number of bytes that count for maxmemory: keys and values, scripts,
// sessions, and StartupMemory.
func (s *Server) UsedMemory() uint64 { return s.overheadMemory() + uint64(s.Store.Used()) }

// overheadMemory is UsedMemory without keys and values.
func (s *Server) overheadMemory() uint64 {
	n := StartupMemory + s.Clients.memory()
	if s.Scripts != nil {
		n += uint64(s.Scripts.Bytes())
	}
	if s.Functions != nil {
		n += uint64(s.Functions.Bytes())
	}
	return n
}

// OutOfMemory reports whether the last command of a client found the limit exceeded and nothing to
// evict.
func (s Control) OutOfMemory() bool { return s.Config.Memory.Limit != 0 && s.Memory.out }

// outOfMemory evicts keys while the limit is exceeded. It reports whether a command of a client
// must be refused because the limit still is. Caller must know that there is a limit.
func (s *Server) outOfMemory(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if s.Run.Busy != "" {
		return false // scripts are not interrupted by evictions
	}
	s.Memory.out = !s.evict()
	return s.Memory.out && s.wantsMemory(sess, spec, args)
}

// wantsMemory reports whether a command must not run without free memory. EXEC may not run if such
// a command is queued. No command may be queued without free memory; with [servers.QueuesSmall]
// only those that want it.
func (s *Server) wantsMemory(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if spec.Parent == nil {
		switch spec.Name {
		case "exec":
			return s.anyQueued(sess, grows)
		case "discard", "quit", "reset":
			return false
		}
	}
	return sess.Queueing && !s.Follows.Has(servers.QueuesSmall) || grows(s.flagsOf(spec, args))
}

// grows reports whether a command may use more memory.
func grows(f cmdtable.Flag) bool { return f&cmdtable.DenyOOM != 0 }

// EvictionsPerClockRead is the number of keys that are evicted before the clock is read.
const EvictionsPerClockRead = 16

// evict removes keys by maxmemory-policy until the memory used is within maxmemory. It returns
// false if it is not and no key is left that may be removed. If it takes too long it leaves the
// rest for later.
func (s *Server) evict() bool {
	m := &s.Config.Memory
	s.Memory.pending = false
	if s.Run.Busy != "" || s.Loading.Active || s.Following.Active && s.Config.Value("replica-ignore-maxmemory") == "yes" {
		return true
	}
	used := s.UsedMemory()
	s.notePeak(used)
	if m.Limit == 0 || used <= m.Limit {
		s.withinLimit()
		return true
	}
	if s.Pause.Mode != PauseNone && s.paused() {
		return true // the keyspace must not change
	}
	start := s.Owner.Monotonic()
	var ok bool
	s.separately(func() { ok = s.evictAll(start) })
	switch {
	case !ok || s.Memory.pending:
		if s.Memory.since == 0 {
			s.Memory.since = max(start, 1)
		}
	default:
		s.withinLimit()
	}
	s.noteLatency("eviction-cycle", s.Owner.Monotonic()-start)
	return ok
}

func (s *Server) evictAll(start int64) bool {
	m := &s.Config.Memory
	overhead, until := s.overheadMemory(), m.LongestEviction()
	for n := 1; overhead+uint64(s.Store.Used()) > m.Limit; n++ {
		if !m.Evicts || !s.Store.Evict(m.Policy) {
			return false
		}
		if n%EvictionsPerClockRead == 0 && s.Owner.Monotonic()-start > until {
			s.Memory.pending = true
			s.Owner.EvictSoon()
			break
		}
	}
	return true
}

// withinLimit records that the memory used is within the limit.
func (s *Server) withinLimit() {
	if s.Memory.since != 0 {
		s.Memory.exceeded += s.Owner.Monotonic() - s.Memory.since
		s.Memory.since = 0
	}
}

// Exceeded returns for how many ms the limit has been exceeded, in total and in the current period.
// now is in ns of Monotonic.
func (m *memoryState) Exceeded(now int64) (total, current int64) {
	if m.since != 0 {
		current = now - m.since
	}
	return (m.exceeded + current) / 1e6, current / 1e6
}

// ResetStats sets the counters to zero (CONFIG RESETSTAT).
func (m *memoryState) ResetStats() { m.exceeded, m.since = 0, 0 }
