package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// memoryState is what the server knows of its memory.
type memoryState struct {
	// out says that the last command of a client found the limit passed and nothing to evict. It stays
	// when the limit is taken away, as in Redis.
	out       bool
	scriptOut bool  // the running script began so, may not use more memory, and has not written yet
	pending   bool  // Evict is going to be called
	since     int64 // when the limit was passed, in nanoseconds of Monotonic; 0: it is not
	exceeded  int64 // ns of the times before that
	peak      uint64
}

// StartupMemory is about what an engine takes before it holds anything: its tables, its commands
// and one Lua state.
const StartupMemory = 448 << 10

// UsedMemory is the number of bytes that count for maxmemory: the keys and values, the scripts, the
// sessions, and what the engine takes from the start.
func (s *Server) UsedMemory() uint64 { return s.overheadMemory() + uint64(s.Store.Used()) }

// overheadMemory is UsedMemory without keys and values.
func (s *Server) overheadMemory() uint64 {
	n := StartupMemory + s.clientMemory()
	if s.Scripts != nil {
		n += uint64(s.Scripts.Bytes())
	}
	if s.Functions != nil {
		n += uint64(s.Functions.Bytes())
	}
	return n
}

// OutOfMemory reports whether the limit is passed and there was nothing to evict when the last
// command of a client came.
func (s *Server) OutOfMemory() bool { return s.Config.Memory.Limit != 0 && s.Memory.out }

// outOfMemory evicts keys as long as the limit is passed, and reports whether a command of a client
// must be refused because it still is. Caller must know that there is a limit.
func (s *Server) outOfMemory(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if s.BusyError != "" {
		return false // nothing is evicted in the middle of a script
	}
	s.Memory.out = !s.Evict()
	return s.Memory.out && s.wantsMemory(sess, spec, args)
}

// wantsMemory reports whether a command must not run when there is no memory left. In a transaction
// none may be queued; EXEC may run when none of its commands is such a one.
func (s *Server) wantsMemory(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if spec.Parent == nil {
		switch spec.Name {
		case "exec":
			return slices.ContainsFunc(sess.Queue, func(args []string) bool { return s.grows(s.Table.Resolve(args), args) })
		case "discard", "quit", "reset":
			return false
		}
	}
	return sess.Queueing || s.grows(spec, args)
}

// grows reports whether a command may make the memory used more. Of a script or function its flags
// tell; one that declares none is let through, and its commands are looked at.
func (s *Server) grows(spec *cmdtable.Spec, args []string) bool {
	if spec.Runs != cmdtable.RunsNoScript {
		f := s.scriptFlags(spec, args)
		return f.Declared && !f.AllowOOM && !f.NoWrites
	}
	return spec.Flags&cmdtable.DenyOOM != 0
}

// outInScript reports whether a write of a script that began without memory must be refused. After
// its first write all are let through: a script is not stopped half-way.
func (s *Server) outInScript(spec *cmdtable.Spec) bool {
	s.Memory.scriptOut = spec.Flags&cmdtable.DenyOOM != 0
	return s.Memory.scriptOut
}

// EvictedBetweenLooks is how many keys are evicted before the clock is looked at.
const EvictedBetweenLooks = 16

// Evict removes keys, as maxmemory-policy says, until the memory used is within maxmemory. It
// reports false when it is not, and no key is left that may be removed. When it has taken too long
// it leaves the rest for later.
func (s *Server) Evict() bool {
	m := &s.Config.Memory
	s.Memory.pending = false
	if s.BusyError != "" {
		return true
	}
	used := s.UsedMemory()
	s.Memory.peak = max(s.Memory.peak, used)
	if m.Limit == 0 || used <= m.Limit {
		s.withinLimit()
		return true
	}
	if s.Pause.Mode != PauseNone {
		s.Pause.Pass(s.Store.Now())
		if s.Pause.Mode != PauseNone {
			return true // the data set stands still
		}
	}
	start := s.nanos()
	ok := s.evictAll(start)
	switch {
	case !ok || s.Memory.pending:
		if s.Memory.since == 0 {
			s.Memory.since = max(start, 1)
		}
	default:
		s.withinLimit()
	}
	s.NoteLatency("eviction-cycle", s.nanos()-start)
	return ok
}

func (s *Server) evictAll(start int64) bool {
	m := &s.Config.Memory
	overhead, until := s.overheadMemory(), m.Longest()
	for n := 1; overhead+uint64(s.Store.Used()) > m.Limit; n++ {
		if !m.Evicts || !s.Store.Evict(m.Policy) {
			return false
		}
		if n%EvictedBetweenLooks == 0 && s.nanos()-start > until {
			if s.EvictSoon != nil {
				s.Memory.pending = true
				s.EvictSoon()
			}
			break
		}
	}
	return true
}

// withinLimit notes that the memory used is within the limit.
func (s *Server) withinLimit() {
	if s.Memory.since != 0 {
		s.Memory.exceeded += s.nanos() - s.Memory.since
		s.Memory.since = 0
	}
}

// LimitExceeded tells for how many ms the limit was passed, in all and this time.
func (s *Server) LimitExceeded() (total, current int64) {
	if s.Memory.since != 0 {
		current = s.nanos() - s.Memory.since
	}
	return (s.Memory.exceeded + current) / 1e6, current / 1e6
}

func (s *Server) nanos() int64 {
	if s.Monotonic == nil {
		return 0
	}
	return s.Monotonic()
}

// ResetStats begins to count anew (CONFIG RESETSTAT).
func (m *memoryState) ResetStats() { m.exceeded, m.since = 0, 0 }
