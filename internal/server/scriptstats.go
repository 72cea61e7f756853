package server

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
func (s *Server) CountRun(id ScriptID, title string) {
	st := s.Stats.Scripts.of(id)
	if title != "" && st != &s.Stats.Scripts.Other {
		st.Title = title
	}
	s.Run.stat = st
}

// count adds the call that has just ended to the counters of its script.
func (r *Run) count(nanos int64, failed bool) {
	r.stat.add(nanos, failed)
	r.stat = nil
}
