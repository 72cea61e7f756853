package difftest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// waitStep holds the commands that one session sends together. Without commands its client closes
// it.
type waitStep struct {
	session int
	door    wrapping // of several commands: wrapExec, wrapPcall for a script, or wrapNone for a pipeline
	cmds    [][]string
	behind  bool // comes while the session waits; other steps are left out then
}

// wire returns the commands to send.
func (s *waitStep) wire() [][]string {
	switch s.door {
	case wrapExec:
		return slices.Concat([][]string{{"MULTI"}}, s.cmds, [][]string{{"EXEC"}})
	case wrapPcall:
		var b strings.Builder
		b.WriteString("local r = {}")
		for _, args := range s.cmds {
			b.WriteString(" r[#r+1] = " + luaCall("redis.pcall", args))
		}
		b.WriteString(" return r")
		return [][]string{{"EVAL", b.String(), "0"}}
	}
	return s.cmds
}

// waitTrace is what happened in a step.
type waitTrace struct {
	waitStep
	waits  bool  // the session waits now
	served []int // the others that got the last of their replies
}

// waitFault is a difference.
type waitFault struct {
	text  string
	trace []waitTrace
}

// waitSequence is a sequence of steps on an empty keyspace.
type waitSequence struct {
	protos []int // of the sessions; the last one only wakes up, at the end
	steps  []waitStep
	// anyOrder says that several keys become ready at the same time, so their events come in any
	// order.
	anyOrder bool
}

// waitPlayer plays sequences on both sides.
type waitPlayer struct {
	f            *fuzzer
	oracle, ours *waitSide
	pipe         pipe   // to Redmoon
	begin        func() // brings Redmoon's clock up to the time
	check        func() error
	anyOrder     bool          // of the sequence
	patience     time.Duration // how long Redmoon may take until it is where the oracle is; short while shrinking

	steps  int            // played on each side
	served map[string]int // how often each command was answered after it had waited
	states []waitState
	trace  []waitTrace
}

// play plays a sequence, and then the steps that draw makes from the states of the sessions, until
// draw returns nil. It then wakes all blocked sessions and compares the keyspaces.
func (p *waitPlayer) play(seq *waitSequence, draw func(states []waitState) *waitStep) (*waitFault, error) {
	p.trace, p.anyOrder = nil, seq.anyOrder
	p.begin()
	for _, w := range []*waitSide{p.oracle, p.ours} {
		if err := w.reset(len(seq.protos)); err != nil {
			return nil, err
		}
	}
	p.oracle.events.forget()
	p.ours.events.forget()
	p.states = make([]waitState, len(seq.protos))
	for i := range seq.steps {
		if text, err := p.step(seq, seq.steps[i]); text != "" || err != nil {
			return p.fault(text), err
		}
	}
	for draw != nil {
		s := draw(p.states)
		if s == nil {
			break
		}
		seq.steps = append(seq.steps, *s)
		if text, err := p.step(seq, *s); text != "" || err != nil {
			return p.fault(text), err
		}
	}
	for turns := 0; turns < 100; turns++ {
		i := slices.IndexFunc(p.states, func(s waitState) bool { return s.waits })
		if i < 0 {
			break
		}
		wake := waitStep{session: len(seq.protos) - 1, cmds: [][]string{{"CLIENT", "UNBLOCK", idWord(i)}}}
		if text, err := p.step(seq, wake); text != "" || err != nil {
			return p.fault(text), err
		}
	}
	text, err := p.f.keyspaces(p.pipe)
	if err == nil && text == "" {
		if bad := p.check(); bad != nil {
			text = bad.Error()
		}
	}
	return p.fault(text), err
}

func idWord(session int) string { return "@id:" + sessionName(session) }

func sessionName(i int) string { return string(rune('a' + i)) }

func (p *waitPlayer) fault(text string) *waitFault {
	if text == "" {
		return nil
	}
	return &waitFault{text, p.trace}
}

// step plays one step on both sides and returns the first difference, or "".
func (p *waitPlayer) step(seq *waitSequence, s waitStep) (string, error) {
	if p.states[s.session].waits != s.behind && len(s.cmds) > 0 {
		return "", nil
	}
	wire := s.wire()
	needed := []int{s.session}
	for _, args := range wire {
		for _, a := range args {
			if n, ok := idOf(a); ok {
				needed = append(needed, n)
			}
		}
	}
	for _, w := range []*waitSide{p.oracle, p.ours} {
		for _, i := range needed {
			if err := w.ready(i, seq.protos[i]); err != nil {
				return "", err
			}
		}
		var err error
		if len(wire) == 0 {
			err = w.drop(s.session)
		} else {
			err = w.send(s.session, wire)
		}
		if err != nil {
			return "", err
		}
	}
	p.steps++
	before := p.states
	states, err := p.oracle.countOpen()
	if err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	p.states = states
	t := waitTrace{waitStep: s, waits: states[s.session].waits}
	for i := range states {
		if i != s.session && before[i].waits && states[i].open && !states[i].waits {
			t.served = append(t.served, i)
			if n := len(before[i].got); n < len(states[i].got) {
				p.served[strings.ToLower(p.oracle.sessions[i].cmds[n][0])]++
			}
		}
	}
	p.trace = append(p.trace, t)
	return p.compare()
}

// ready opens a session that is not open.
func (w *waitSide) ready(i, proto int) error {
	if s := w.sessions[i]; s != nil {
		if _, ended := s.replies(); !ended {
			return nil
		}
		s.conn.Close()
	}
	return w.open(i, proto)
}

// compare polls Redmoon until it has reached the oracle's state. It returns what differs.
func (p *waitPlayer) compare() (string, error) {
	end := time.After(p.patience)
	for late := false; ; {
		select {
		case <-end:
			late = true
		default:
		}
		got, quiet, err := p.ours.look()
		if err != nil {
			return "", fmt.Errorf("redmoon: %w", err)
		}
		text, final := "", false
		for i, want := range p.states {
			if text, final = p.differs(i, want, got[i]); text != "" {
				break
			}
		}
		if text == "" {
			text, final = p.otherEvents()
		}
		switch {
		case final:
			return text, nil
		case text == "" && quiet:
			p.oracle.events.forget()
			p.ours.events.forget()
			return "", nil
		case text == "" && late:
			return "redmoon is not quiet", nil
		case late:
			return text, nil
		}
	}
}

// otherEvents returns how the keyspace events of the last step differ, and whether the difference
// is final.
func (p *waitPlayer) otherEvents() (text string, final bool) {
	want, got := p.oracle.news(), p.ours.news()
	if p.anyOrder {
		if want, got = slices.Clone(want), slices.Clone(got); len(want) == len(got) {
			slices.SortFunc(want, bytes.Compare)
			slices.SortFunc(got, bytes.Compare)
		}
	}
	for i := range min(len(want), len(got)) {
		if !bytes.Equal(want[i], got[i]) {
			return fmt.Sprintf("event\n\toracle  %.900q\n\tredmoon %.900q", want[i:], got[i:]), !p.anyOrder
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("events\n\toracle  %.900q\n\tredmoon %.900q", want, got), false
	}
	return "", false
}

// differs returns how session i differs, and whether the difference is final.
func (p *waitPlayer) differs(i int, want, got waitState) (text string, final bool) {
	if !want.open {
		return "", false
	}
	cmds := p.oracle.sessions[i].cmds
	for k := range min(len(want.got), len(got.got)) {
		relax := Relax{Kind: strings.EqualFold(cmds[k][0], "hello")}
		if !relax.Equal(want.got[k], got.got[k]) {
			return fmt.Sprintf("session %s: %.300q\n\toracle  %.800q\n\tredmoon %.800q", sessionName(i), cmds[k], want.got[k], got.got[k]), true
		}
	}
	if want.waits == got.waits && want.ended == got.ended && (want.waits || len(want.got) == len(got.got)) {
		return "", false
	}
	at := min(len(want.got), len(got.got))
	var cmd []string
	if at < len(cmds) {
		cmd = cmds[at]
	}
	return fmt.Sprintf("session %s: %.300q\n\toracle  %s\n\tredmoon %s", sessionName(i), cmd, want.text(at), got.text(at)), false
}

func (s waitState) text(from int) string {
	text := fmt.Sprintf("%d replies", len(s.got))
	if s.waits {
		text += ", waits"
	}
	if s.ended {
		text += ", ended"
	}
	if from < len(s.got) {
		text += fmt.Sprintf(", %.500q", s.got[from:])
	}
	return text
}
