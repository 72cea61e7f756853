package replay

// Which keys have values that may differ from those of the recorded server, and what follows for
// replies.

import "github.com/redmoon-lua/redmoon/internal/base/cmdtable"

// varies are the reasons why the value of a key may differ from that in the recorded server.
type varies uint8

const (
	variesByChance varies = 1 << iota // a script has written what chance decides
	variesByOrder                     // a script has written in an order that Redis does not define
	variesByClock                     // it has a time that the replay does not know exactly
)

// varyingKeys are the keys whose values may differ.
type varyingKeys map[keyUse]varies

// maxVaryingKeys is the number of keys that are kept.
const maxVaryingKeys = 1 << 20

// of returns why the value of a key may differ.
func (t varyingKeys) of(u keyUse) varies {
	u.writes = false
	return t[u]
}

// add adds reasons to a key.
func (t varyingKeys) add(u keyUse, why varies) {
	u.writes = false
	if why != 0 && (len(t) < maxVaryingKeys || t[u] != 0) {
		t[u] |= why
	}
}

// allowanceFor returns how the reply of a step, which has just run, may differ from the recorded
// one.
func (r *replayer) allowanceFor(s *step) allowance {
	x := allowance{
		order:     s.facts.order,
		pairs:     s.facts.pairs,
		chance:    s.facts.chance,
		clock:     s.facts.clock,
		server:    s.facts.server,
		tolerance: r.tolerance,
	}
	if s.facts.script {
		c := &r.called.facts
		x.order = x.order || c.order
		x.chance = x.chance || c.chance
		x.clock = x.clock || c.clock
		x.server = x.server || c.server
	}
	if len(r.varying) == 0 {
		return x
	}
	why := r.variesBy(s)
	x.order = x.order || why&variesByOrder != 0
	x.chance = x.chance || why&variesByChance != 0
	x.clock = x.clock || why&variesByClock != 0
	return x
}

// variesBy returns why the values of the keys that a step reads may differ.
func (r *replayer) variesBy(s *step) (why varies) {
	if s.facts.global {
		for _, w := range r.varying {
			why |= w
		}
		return why
	}
	var a access
	a.add(s)
	for _, list := range [][]keyUse{a.keys, r.called.reads, r.called.writes} {
		for _, u := range list {
			why |= r.varying.of(u)
		}
	}
	return why
}

// noteVarying notes the keys to which a step may have given other values than in the recorded
// server: it has called such a command, or read such a key, or with byClock its reply depends on
// the time.
func (r *replayer) noteVarying(s *step, byClock bool) {
	why := varies(0)
	if s.facts.script {
		why = r.called.facts.varies()
	}
	if byClock {
		why |= variesByClock
	}
	if (why == 0 && len(r.varying) == 0) || !s.facts.writes || !s.fits() {
		return
	}
	why |= r.variesBy(s)
	if s.facts.global && !s.facts.script { // FLUSHALL and related commands
		return
	}
	for _, k := range s.facts.spec.FindKeys(s.args) {
		u := keyUse{db: s.db, key: s.args[k.Pos]}
		switch {
		case k.Flags&(cmdtable.RM|cmdtable.OW) != 0 && !byClock: // the whole value is replaced
			delete(r.varying, u)
		case k.Flags&cmdtable.RW != 0 && !s.facts.script:
			r.varying.add(u, why)
		}
	}
	for _, u := range r.called.writes {
		r.varying.add(u, why)
	}
}

// varies returns why values that a script makes of the replies may differ.
func (f *facts) varies() (why varies) {
	if f.chance {
		why |= variesByChance
	}
	if f.order {
		why |= variesByOrder
	}
	if f.clock {
		why |= variesByClock
	}
	return why
}

// judge compares the reply to a step with the recorded one.
func (r *replayer) judge(s *step, raw []byte) verdict {
	switch {
	case s.want == nil:
		return same
	case s.substituteReply != "":
		if string(raw) == s.substituteReply {
			return same
		}
		return differs
	case s.want.hasBytes(raw):
		return same
	}
	return r.allowanceFor(s).judge(s.want, raw)
}
