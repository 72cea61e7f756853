package replay

// How an operation is tried on the engine and undone: at which time of its interval it gives its
// recorded replies.

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// trial tries operations on the engine. What it tries is undone, newest first, or at the end.
type trial struct {
	r      *replayer
	server *server.Trial
	runs   int // commands that have run
}

// try calls f with a trial. f runs on the goroutine of the engine.
func (r *replayer) try(f func(t *trial)) error {
	return enginedoor.Of(r.engine).Try(func(st *server.Trial) { f(&trial{r: r, server: st}) })
}

// placement says how an operation has been tried with success: when, and what came of it.
type placement struct {
	at       int64 // us since the epoch
	commands int   // commands that are not undone
	exact    bool  // the replies have the recorded bytes
	changed  bool  // the operation has changed the keyspace
	byClock  bool  // the replies depend on the time, and the recorded ones are possible
}

// attempt tries an operation at a time from earliest on, in us since the epoch, at which it gives
// the recorded replies. If it finds one, what the operation does is not undone.
func (t *trial) attempt(o *operation, earliest int64) (placement, bool) {
	if !t.watchedKeysFit(o) {
		return placement{}, false
	}
	if len(o.steps) == 0 {
		return placement{at: earliest, exact: true}, true
	}
	latest := max(earliest, t.r.micros(o.repliedAt))
	tolerance := t.r.tolerance.Microseconds()
	p, ok := t.attemptAt(o, earliest)
	if ok && p.exact {
		return p, true
	}
	fits := ok
	for _, at := range o.timesInReplies() { // the reply says when the operation has run
		if at < earliest-tolerance || at > latest+tolerance {
			continue
		}
		if ok {
			t.undo(p.commands)
		}
		if p, ok = t.attemptAt(o, at); ok && p.exact {
			return p, true
		}
	}
	if fits && !ok {
		p, ok = t.attemptAt(o, earliest)
	}
	if ok {
		return p, true
	}
	for _, at := range nearby(earliest, latest, tolerance) {
		if at/1000 != earliest/1000 {
			if p, ok := t.attemptAt(o, at); ok {
				return p, true
			}
		}
	}
	if t.dependsOnTime(o, earliest-tolerance, latest+tolerance) {
		return t.runAnyway(o, earliest), true
	}
	return placement{}, false
}

// nearby returns times at and around an interval, all in us, from the nearest on: a time that is
// further away than it must be would move the clock away from that of the recorded server.
func nearby(earliest, latest, tolerance int64) []int64 {
	list := []int64{latest}
	for d := int64(1000); d < tolerance; d *= 2 {
		list = append(list, latest+d, earliest-d)
	}
	return append(list, earliest-tolerance, latest+tolerance)
}

// watchedKeysFit reports whether the watched keys of a transaction are in the state that its
// recorded reply shows.
func (t *trial) watchedKeysFit(o *operation) bool {
	if !o.multi || o.client.conn == nil || (!o.abort && len(o.steps) == 0) {
		return true
	}
	return enginedoor.Of(o.client.conn.session).WatchBroken() == o.abort
}

// attemptAt tries an operation at a time. If its replies are not the recorded ones, it is undone.
func (t *trial) attemptAt(o *operation, at int64) (placement, bool) {
	p := placement{at: at, exact: true}
	for i := range o.steps {
		s := &o.steps[i]
		if !s.canTry() {
			continue
		}
		t.r.called.reset()
		raw := t.run(s, at)
		p.commands++
		p.changed = p.changed || t.server.Changed()
		v := t.r.judge(s, raw)
		if v.differs {
			t.undo(p.commands)
			return placement{}, false
		}
		p.exact = p.exact && v.why == ""
	}
	return p, true
}

// repeat runs an operation again, as it was found.
func (t *trial) repeat(o *operation, p placement) {
	if p.commands > 0 {
		t.runAnyway(o, p.at)
	}
}

// runAnyway runs an operation, whatever it replies.
func (t *trial) runAnyway(o *operation, at int64) placement {
	commands := 0
	for i := range o.steps {
		if o.steps[i].canTry() {
			t.run(&o.steps[i], at)
			commands++
		}
	}
	return placement{at: at, commands: commands, byClock: true, changed: o.facts.writes}
}

// canTry reports whether a trial can run the step. Of a transaction it leaves out commands such as
// SUBSCRIBE and CONFIG SET, which it could not undo.
func (s *step) canTry() bool {
	return s.facts.data || (s.facts.spec != nil && s.facts.spec.Flags&cmdtable.NoScript == 0)
}

// undo undoes the last commands that have run.
func (t *trial) undo(depth int) {
	for range depth {
		t.server.Back()
	}
}

// run runs a step and returns its reply in RESP.
func (t *trial) run(s *step, at int64) []byte {
	t.runs++
	v := t.server.Run(server.Attempt{DB: s.db, Proto: s.proto, Now: at, Args: s.args})
	return resp.Append(nil, v, s.proto)
}

// dependsOnTime reports whether the recorded replies of an operation are between those at two
// times, and these differ: the operation reads the clock, and nobody knows what it has read.
func (t *trial) dependsOnTime(o *operation, early, late int64) bool {
	var replies [2][]reply.Value
	for i, at := range []int64{early, late} {
		depth := 0
		for j := range o.steps {
			v := reply.Nil()
			if o.steps[j].canTry() {
				var err error
				if v, err = decode(string(t.run(&o.steps[j], at))); err != nil {
					v = reply.Nil()
				}
				depth++
			}
			replies[i] = append(replies[i], v)
		}
		t.undo(depth)
	}
	some := false
	for i := range o.steps {
		w := o.steps[i].want
		if w == nil || w.cut || !o.steps[i].canTry() {
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

// timesInReplies returns the times that the recorded replies of an operation name.
func (o *operation) timesInReplies() (list []int64) {
	for i := range o.steps {
		s := &o.steps[i]
		if s.want == nil || s.want.cut || (!s.facts.clock && !s.facts.script) {
			continue
		}
		if v, err := s.want.decode(); err == nil {
			list = timesIn(v, list)
		}
	}
	return list
}
