package replay

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// trial tries ops on the engine. What it tries is undone, newest first, or at the end.
type trial struct {
	r    *replayer
	t    *server.Trial
	runs int // commands that have run
}

// try calls f with a trial. f runs on the goroutine of the engine.
func (r *replayer) try(f func(t *trial)) error {
	return enginedoor.Try(r.e, func(st *server.Trial) { f(&trial{r: r, t: st}) })
}

// found is how an op has been tried with success.
type found struct {
	at      int64 // us since the epoch
	depth   int   // commands that are not undone
	exact   bool  // the replies have the recorded bytes
	changed bool  // the op has changed the keyspace
	clock   bool  // the replies depend on the time, and the recorded ones are possible
}

// attempt tries an op at a time from earliest on, in us since the epoch, at which it gives the
// recorded replies. If it finds one, what the op does is not undone.
func (t *trial) attempt(o *op, earliest int64) (found, bool) {
	if !t.mayExec(o) {
		return found{}, false
	}
	if len(o.steps) == 0 {
		return found{at: earliest, exact: true}, true
	}
	latest := max(earliest, t.r.micros(o.repliedAt))
	slack := t.r.slack.Microseconds()
	f, ok := t.at(o, earliest)
	if ok && f.exact {
		return f, true
	}
	fits := ok
	for _, at := range o.moments() { // the reply says when the op has run
		if at < earliest-slack || at > latest+slack {
			continue
		}
		if ok {
			t.back(f.depth)
		}
		if f, ok = t.at(o, at); ok && f.exact {
			return f, true
		}
	}
	if fits && !ok {
		f, ok = t.at(o, earliest)
	}
	if ok {
		return f, true
	}
	for _, at := range []int64{latest, earliest - slack, latest + slack} {
		if at/1000 != earliest/1000 {
			if f, ok := t.at(o, at); ok {
				return f, true
			}
		}
	}
	if t.dependsOnTime(o, earliest-slack, latest+slack) {
		return t.force(o, earliest), true
	}
	return found{}, false
}

// mayExec reports whether the watched keys of a transaction are in the state that its recorded
// reply shows.
func (t *trial) mayExec(o *op) bool {
	if !o.multi || o.c.conn == nil || !o.abort && len(o.steps) == 0 {
		return true
	}
	return enginedoor.WatchBroken(o.c.conn.sess) == o.abort
}

// at tries an op at a time. If its replies are not the recorded ones, it is undone.
func (t *trial) at(o *op, at int64) (found, bool) {
	f := found{at: at, exact: true}
	for i := range o.steps {
		s := &o.steps[i]
		if !s.triable() {
			continue
		}
		t.r.called.reset()
		raw := t.run(s, at)
		f.depth++
		f.changed = f.changed || t.t.Changed()
		v := t.r.judge(s, raw)
		if v.differs {
			t.back(f.depth)
			return found{}, false
		}
		f.exact = f.exact && v.why == ""
	}
	return f, true
}

// repeat runs an op again, as it was found.
func (t *trial) repeat(o *op, f found) {
	if f.depth > 0 {
		t.force(o, f.at)
	}
}

// force runs an op, whatever it replies.
func (t *trial) force(o *op, at int64) found {
	depth := 0
	for i := range o.steps {
		if o.steps[i].triable() {
			t.run(&o.steps[i], at)
			depth++
		}
	}
	return found{at: at, depth: depth, clock: true, changed: o.facts.writes}
}

// triable reports whether a trial can run the step. Of a transaction it leaves out commands such as
// SUBSCRIBE and CONFIG SET, which it could not undo.
func (s *step) triable() bool {
	return s.facts.data || s.facts.spec != nil && s.facts.spec.Flags&cmdtable.NoScript == 0
}

func (t *trial) back(depth int) {
	for range depth {
		t.t.Back()
	}
}

// run runs a step and returns its reply in RESP.
func (t *trial) run(s *step, at int64) []byte {
	t.runs++
	v := t.t.Run(server.Attempt{DB: s.db, Proto: s.proto, Now: at, Args: s.args})
	return resp.Append(nil, v, s.proto)
}

// dependsOnTime reports whether the recorded replies of an op are between those at two times, and
// these differ: the op reads the clock, and nobody knows what it has read.
func (t *trial) dependsOnTime(o *op, early, late int64) bool {
	var replies [2][]reply.Value
	for i, at := range []int64{early, late} {
		depth := 0
		for j := range o.steps {
			v := reply.Nil()
			if o.steps[j].triable() {
				var err error
				if v, err = decode(string(t.run(&o.steps[j], at))); err != nil {
					v = reply.Nil()
				}
				depth++
			}
			replies[i] = append(replies[i], v)
		}
		t.back(depth)
	}
	some := false
	for i := range o.steps {
		w := o.steps[i].want
		if w == nil || w.cut || !o.steps[i].triable() {
			continue
		}
		v, err := w.decode()
		if err != nil {
			return false
		}
		a, b := replies[0][i], replies[1][i]
		switch {
		case a.Equal(b) && a.Equal(v):
		case between(v, a, b):
			some = true
		default:
			return false
		}
	}
	return some
}

// moments returns the times that the recorded replies of an op name.
func (o *op) moments() (list []int64) {
	for i := range o.steps {
		s := &o.steps[i]
		if s.want == nil || s.want.cut || !s.facts.clock && !s.facts.script {
			continue
		}
		if v, err := s.want.decode(); err == nil {
			list = moments(v, list)
		}
	}
	return list
}
