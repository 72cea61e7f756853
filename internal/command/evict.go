package command

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// memoryConfig are the parameters about how much memory there may be.
type memoryConfig struct {
	limit    uint64 // maxmemory, bytes; 0: none
	evicts   bool   // maxmemory-policy is not noeviction
	policy   datastore.EvictionPolicy
	tenacity int64 // maxmemory-eviction-tenacity, 0 to 100
	changed  bool  // the limit has been set, and nothing evicted since
}

// maxSamples is the largest number of maxmemory-samples that has an effect.
const maxSamples = 64

func (m *memoryConfig) setLimit(value string) {
	m.limit, _ = strconv.ParseUint(value, 10, 64) // has been checked
	m.changed = m.limit != 0
}

func (m *memoryConfig) setPolicy(name string) {
	which, rank, _ := strings.Cut(name, "-")
	m.evicts = rank != ""
	m.policy.Volatile = which == "volatile"
	m.policy.Rank = map[string]datastore.EvictionRank{
		"lru": datastore.EvictIdle, "lfu": datastore.EvictRare, "ttl": datastore.EvictSoon, "random": datastore.EvictRandom,
	}[rank]
}

// memoryState is what the server knows of its memory.
type memoryState struct {
	// out says that the last command of a client found the limit passed and nothing to evict. It stays when the limit is taken away,
	// as in Redis.
	out       bool
	refuses   bool  // a command is being refused for that
	scriptOut bool  // the running script began so, may not use more memory, and has not written yet
	pending   bool  // Evict is going to be called
	since     int64 // when the limit was passed, in nanoseconds of Monotonic; 0: it is not
	exceeded  int64 // ns of the times before that
	peak      uint64
}

// startupMemory is about what an engine takes before it holds anything: its tables, its commands and one Lua state.
const startupMemory = 448 << 10

// UsedMemory is the number of bytes that count for maxmemory: the keys and values, the scripts, the sessions, and what the
// engine takes from the start.
func (s *Server) UsedMemory() uint64 { return s.overheadMemory() + uint64(s.Store.Used()) }

// overheadMemory is UsedMemory without keys and values.
func (s *Server) overheadMemory() uint64 {
	n := startupMemory + s.clientMemory()
	if s.Scripts != nil {
		n += uint64(s.Scripts.Bytes())
	}
	if s.Functions != nil {
		n += uint64(s.Functions.Bytes())
	}
	return n
}

// OutOfMemory reports whether the limit is passed and there was nothing to evict when the last command of a client came.
func (s *Server) OutOfMemory() bool { return s.Config.memory.limit != 0 && s.memory.out }

// outOfMemory evicts keys as long as the limit is passed, and reports whether a command of a client must be refused because it
// still is. Caller must know that there is a limit.
func (s *Server) outOfMemory(sess *Session, spec *Spec, args []string) bool {
	if s.busy != "" {
		return false // nothing is evicted in the middle of a script
	}
	s.memory.out = !s.Evict()
	return s.memory.out && s.wantsMemory(sess, spec, args)
}

// wantsMemory reports whether a command must not run when there is no memory left. In a transaction none may be queued; EXEC
// may run when none of its commands is such a one.
func (s *Server) wantsMemory(sess *Session, spec *Spec, args []string) bool {
	if spec.Parent == nil {
		switch spec.Name {
		case "exec":
			return slices.ContainsFunc(sess.queue, func(args []string) bool { return s.grows(s.Table.Resolve(args), args) })
		case "discard", "quit", "reset":
			return false
		}
	}
	return sess.inMulti || s.grows(spec, args)
}

// grows reports whether a command may make the memory used more. Of a script or function its flags tell; one that declares none
// is let through, and its commands are looked at.
func (s *Server) grows(spec *Spec, args []string) bool {
	if spec.Categories()&CatScripting != 0 && spec.Parent == nil {
		switch spec.Name {
		case "eval", "eval_ro":
			return s.Scripts.NeedsMemory(args[1], "")
		case "evalsha", "evalsha_ro":
			return s.Scripts.NeedsMemory("", args[1])
		case "fcall", "fcall_ro":
			return s.Functions.NeedsMemory(args[1])
		}
	}
	return spec.Flags&DenyOOM != 0
}

// outInScript reports whether a write of a script that began without memory must be refused. After its first write all are let
// through: a script is not stopped half-way.
func (s *Server) outInScript(door Door, spec *Spec) bool {
	if !door.FromScript() {
		return false
	}
	s.memory.scriptOut = spec.Flags&DenyOOM != 0
	return s.memory.scriptOut
}

// refuseMemory refuses a command for lack of memory.
func (s *Server) refuseMemory(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	s.memory.refuses = true
	defer func() { s.memory.refuses = false }()
	return s.reject(sess, door, spec, args)
}

// evictedBetweenLooks is how many keys are evicted before the clock is looked at.
const evictedBetweenLooks = 16

// Evict removes keys, as maxmemory-policy says, until the memory used is within maxmemory. It reports false when it is not, and no
// key is left that may be removed. When it has taken too long it leaves the rest for later.
func (s *Server) Evict() bool {
	m := &s.Config.memory
	s.memory.pending = false
	if s.busy != "" {
		return true
	}
	used := s.UsedMemory()
	s.memory.peak = max(s.memory.peak, used)
	if m.limit == 0 || used <= m.limit {
		s.withinLimit()
		return true
	}
	if s.pause.mode != pauseNone {
		s.pause.pass(s.Store.Now())
		if s.pause.mode != pauseNone {
			return true // the data set stands still
		}
	}
	start := s.nanos()
	ok := s.evictAll(start)
	switch {
	case !ok || s.memory.pending:
		if s.memory.since == 0 {
			s.memory.since = max(start, 1)
		}
	default:
		s.withinLimit()
	}
	s.NoteLatency("eviction-cycle", s.nanos()-start)
	return ok
}

func (s *Server) evictAll(start int64) bool {
	m := &s.Config.memory
	overhead, until := s.overheadMemory(), m.longest()
	for n := 1; overhead+uint64(s.Store.Used()) > m.limit; n++ {
		if !m.evicts || !s.Store.Evict(m.policy) {
			return false
		}
		if n%evictedBetweenLooks == 0 && s.nanos()-start > until {
			if s.EvictSoon != nil {
				s.memory.pending = true
				s.EvictSoon()
			}
			break
		}
	}
	return true
}

// longest is how many nanoseconds one round may take: half a millisecond, less with a tenacity below 10, and beyond it 15 % more with
// each step; with 100 as long as it needs.
func (m *memoryConfig) longest() int64 {
	switch {
	case m.tenacity <= 10:
		return 50_000 * m.tenacity
	case m.tenacity < 100:
		return int64(500_000 * math.Pow(1.15, float64(m.tenacity-10)))
	}
	return math.MaxInt64
}

// withinLimit notes that the memory used is within the limit.
func (s *Server) withinLimit() {
	if s.memory.since != 0 {
		s.memory.exceeded += s.nanos() - s.memory.since
		s.memory.since = 0
	}
}

// limitExceeded tells for how many ms the limit was passed, in all and this time.
func (s *Server) limitExceeded() (total, current int64) {
	if s.memory.since != 0 {
		current = s.nanos() - s.memory.since
	}
	return (s.memory.exceeded + current) / 1e6, current / 1e6
}

func (s *Server) nanos() int64 {
	if s.Monotonic == nil {
		return 0
	}
	return s.Monotonic()
}

// resetStats begins to count anew (CONFIG RESETSTAT).
func (m *memoryState) resetStats() { m.exceeded, m.since = 0, 0 }
