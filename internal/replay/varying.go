package replay

import "github.com/redmoon-lua/redmoon/internal/cmdtable"

// taint says why the value of a key may differ from that in the recorded server.
type taint uint8

const (
	taintChance taint = 1 << iota // a script has written what chance decides
	taintOrder                    // a script has written in an order that Redis does not define
	taintClock                    // it has a time that the replay does not know exactly
)

// taints are the keys whose values may differ.
type taints map[use]taint

// maxTaints is the number of keys that are kept.
const maxTaints = 1 << 20

func (t taints) of(u use) taint {
	u.writes = false
	return t[u]
}

func (t taints) add(u use, why taint) {
	u.writes = false
	if why != 0 && (len(t) < maxTaints || t[u] != 0) {
		t[u] |= why
	}
}

// relaxOf returns how the reply of a step may differ from the recorded one. called are the commands
// that it has called.
func (r *replayer) relaxOf(s *step) relax {
	x := relax{
		order:  s.facts.order,
		pairs:  s.facts.pairs,
		chance: s.facts.chance,
		clock:  s.facts.clock,
		server: s.facts.server,
		slack:  r.slack,
	}
	if s.facts.script {
		c := &r.called.facts
		x.order, x.chance, x.clock, x.server = x.order ||
			c.order, x.chance ||
			c.chance, x.clock ||
			c.clock, x.server ||
			c.server
	}
	if len(r.taints) == 0 {
		return x
	}
	why := r.taintsOf(s)
	x.order = x.order || why&taintOrder != 0
	x.chance = x.chance || why&taintChance != 0
	x.clock = x.clock || why&taintClock != 0
	return x
}

// taintsOf returns the taints of the keys that a step reads.
func (r *replayer) taintsOf(s *step) (why taint) {
	if s.facts.global {
		for _, w := range r.taints {
			why |= w
		}
		return why
	}
	var a access
	a.add(s)
	for _, list := range [][]use{a.keys, r.called.reads, r.called.writes} {
		for _, u := range list {
			why |= r.taints.of(u)
		}
	}
	return why
}

// taint notes the keys that a step has written with what may differ: it has called such a command,
// or read such a key, or with byClock its reply depends on the time.
func (r *replayer) taint(s *step, byClock bool) {
	why := taint(0)
	if s.facts.script {
		c := &r.called.facts
		if c.chance {
			why |= taintChance
		}
		if c.order {
			why |= taintOrder
		}
		if c.clock {
			why |= taintClock
		}
	}
	if byClock {
		why |= taintClock
	}
	if why == 0 && len(r.taints) == 0 || !s.facts.writes || !s.fits() {
		return
	}
	why |= r.taintsOf(s)
	if s.facts.global && !s.facts.script { // FLUSHALL and related commands
		return
	}
	for _, k := range s.facts.spec.FindKeys(s.args) {
		u := use{db: s.db, key: s.args[k.Pos]}
		switch {
		case k.Flags&(cmdtable.RM|cmdtable.OW) != 0 && !byClock: // the whole value is replaced
			delete(r.taints, u)
		case k.Flags&cmdtable.RW != 0 && !s.facts.script:
			r.taints.add(u, why)
		}
	}
	for _, u := range r.called.writes {
		r.taints.add(u, why)
	}
}

// judge compares the reply to a step with the recorded one.
func (r *replayer) judge(s *step, raw []byte) verdict {
	switch {
	case s.want == nil:
		return same
	case s.forced != "":
		if string(raw) == s.forced {
			return same
		}
		return differs
	case s.want.is(raw):
		return same
	}
	return r.relaxOf(s).judge(s.want, raw)
}
