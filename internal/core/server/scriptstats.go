package server

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// ScriptID names a script or function for its counters.
type ScriptID struct {
	Library string // of a function; "" for a script
	Name    string // the name of the function, or the SHA1 of the script
}

// ScriptStat counts the runs of one script or function. It does not measure: callTimed adds what it
// has measured for the command that ran the script.
type ScriptStat struct {
	ID      ScriptID
	Title   string // the name that the program has given to the script, or ""
	Label   string // see label; "" for a script without a title
	Calls   int64
	Failed  int64 // calls that replied with an error
	Nanos   int64 // over all calls
	Longest int64 // ns
}

func (st *ScriptStat) add(nanos int64, failed bool) {
	st.Calls++
	if failed {
		st.Failed++
	}
	st.Nanos += nanos
	st.Longest = max(st.Longest, nanos)
}

// ScriptStats counts the runs of the scripts and functions of an engine.
type ScriptStats struct {
	byID  map[ScriptID]*ScriptStat
	last  *ScriptStat // the one of the last run; spares hashing
	Other ScriptStat  // runs of the scripts beyond MaxScriptStats
}

// maxLabel is the length in bytes of the longest name that is a label unchanged. Clients can give
// functions names of a megabyte.
const maxLabel = 120

// label returns a name that monitoring systems and people can use: name in valid UTF-8, or the
// begin of a long name and a hash of it, so that different names remain different. It reads all of
// name, so it is called once for each script, not whenever somebody looks.
func label(name string) string {
	valid := strings.ToValidUTF8(name, "?")
	if len(valid) <= maxLabel {
		return valid
	}
	hash := fmt.Sprintf("~%x", sha256.Sum256([]byte(name)))[:17]
	return strings.ToValidUTF8(valid[:maxLabel-len(hash)], "") + hash
}

// MaxScriptStats is the number of scripts and functions that have counters of their own.
const MaxScriptStats = 1000

// of returns the counters of a script or function.
func (s *ScriptStats) of(id ScriptID) *ScriptStat {
	if s.last != nil && s.last.ID == id {
		return s.last
	}
	st := s.byID[id]
	switch {
	case st != nil:
	case len(s.byID) >= MaxScriptStats:
		return &s.Other
	default:
		if s.byID == nil {
			s.byID = map[ScriptID]*ScriptStat{}
		}
		st = &ScriptStat{ID: id}
		if id.Library != "" {
			st.Label = label(id.Library + "." + id.Name)
		}
		s.byID[id] = st
	}
	s.last = st
	return st
}

// Each calls f for the counters of each script and function that has run, in no particular order,
// without those in Other.
func (s *ScriptStats) Each(f func(ScriptStat)) {
	for _, st := range s.byID {
		if st.Calls > 0 {
			f(*st)
		}
	}
}

// Forget drops the counters of the scripts or functions that match.
func (s *ScriptStats) Forget(match func(ScriptID) bool) {
	s.last = nil
	for id := range s.byID {
		if match(id) {
			delete(s.byID, id)
		}
	}
}

// CountRun makes the running command count as a run of a script or function. title is a name for
// people, or "". Caller must have called StartScript.
func (s Control) CountRun(id ScriptID, title string) {
	st := s.Stats.Scripts.of(id)
	if title != st.Title && title != "" && st != &s.Stats.Scripts.Other {
		st.Title, st.Label = title, label(title)
	}
	s.Run.stat = st
}

// count adds the call that has just ended to the counters of its script.
func (r *Run) count(nanos int64, failed bool) {
	r.stat.add(nanos, failed)
	r.stat = nil
}
