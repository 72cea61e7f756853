package difftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/resp"
)

// waitShrinker looks for the shortest sequence that shows a difference.
type waitShrinker struct {
	p      *waitPlayer
	best   *waitSequence
	fault  *waitFault
	budget int
	err    error
}

// shrink cuts a sequence down. The fault is nil when it does not show again.
func (p *waitPlayer) shrink(seq *waitSequence) (*waitSequence, *waitFault, error) {
	defer func(before time.Duration) { p.patience = before }(p.patience)
	p.patience = 5 * time.Second // a difference has been found: this decides only how short it gets
	s := &waitShrinker{p: p, best: seq, budget: 600}
	for range 3 {
		if s.try(seq) || s.err != nil {
			break
		}
	}
	if s.fault == nil {
		return seq, nil, s.err
	}
	for before := -1; before != s.size() && s.budget > 0; {
		before = s.size()
		for size := max(1, len(s.best.steps)/2); size > 0; size /= 2 {
			for at := 0; at+size <= len(s.best.steps); {
				if !s.try(s.with(slices.Delete(slices.Clone(s.best.steps), at, at+size))) {
					at += size
				}
			}
		}
		for i := 0; i < len(s.best.steps); i++ {
			s.simplify(i)
		}
	}
	return s.best, s.fault, s.err
}

func (s *waitShrinker) size() (n int) {
	for i := range s.best.steps {
		n += 10
		for _, args := range s.best.steps[i].wire() {
			n += 10 + len(strings.Join(args, " "))
		}
	}
	for _, proto := range s.best.protos {
		n += proto
	}
	return n
}

func (s *waitShrinker) with(steps []waitStep) *waitSequence {
	return &waitSequence{protos: s.best.protos, steps: steps, anyOrder: s.best.anyOrder}
}

// try keeps seq when it shows a difference, without what was not played.
func (s *waitShrinker) try(seq *waitSequence) bool {
	if s.budget <= 0 || s.err != nil {
		return false
	}
	s.budget--
	c := &waitSequence{protos: seq.protos, steps: slices.Clone(seq.steps), anyOrder: seq.anyOrder}
	fault, err := s.p.play(c, nil)
	if s.err = err; err != nil || fault == nil {
		return false
	}
	s.best, s.fault = c, fault
	return true
}

// change tries another step i.
func (s *waitShrinker) change(i int, step waitStep) bool {
	if i >= len(s.best.steps) {
		return false
	}
	steps := slices.Clone(s.best.steps)
	steps[i] = step
	return s.try(s.with(steps))
}

// simplify makes step i simpler: other doors, fewer commands, fewer arguments.
func (s *waitShrinker) simplify(i int) {
	if n := s.best.steps[i].session; s.best.protos[n] == 3 {
		protos := slices.Clone(s.best.protos)
		protos[n] = 2
		s.try(&waitSequence{protos: protos, steps: s.best.steps, anyOrder: s.best.anyOrder})
	}
	if c := s.best.steps[i]; c.door != wrapNone {
		c.door = wrapNone
		s.change(i, c)
	}
	for k := 0; i < len(s.best.steps) && k < len(s.best.steps[i].cmds) && len(s.best.steps[i].cmds) > 1; {
		c := s.best.steps[i]
		c.cmds = slices.Delete(slices.Clone(c.cmds), k, k+1)
		if !s.change(i, c) {
			k++
		}
	}
	for k := range s.best.steps[i].cmds {
		for j := len(s.best.steps[i].cmds[k]) - 1; j > 0; j-- {
			c := s.best.steps[i]
			c.cmds = slices.Clone(c.cmds)
			c.cmds[k] = slices.Delete(slices.Clone(c.cmds[k]), j, j+1)
			s.change(i, c)
		}
	}
}

// waitText writes what was played as a case file.
func waitText(seq *waitSequence, trace []waitTrace) string {
	var b strings.Builder
	b.WriteString("!doors resp\n")
	current, open := -1, make([]bool, len(seq.protos))
	turn := func(i int) {
		if current != i {
			fmt.Fprintf(&b, "!session %s\n", sessionName(i))
			current = i
		}
		if !open[i] && seq.protos[i] == 3 {
			b.WriteString("!resp 3\n")
		}
		open[i] = true
	}
	for _, t := range trace {
		wire := t.wire()
		raw := len(wire) > 1 && t.door == wrapNone
		for _, args := range wire {
			for _, a := range args {
				if n, ok := idOf(a); ok {
					raw = false
					if !open[n] {
						turn(n)
						b.WriteString("PING\n")
					}
				}
			}
		}
		turn(t.session)
		switch {
		case len(wire) == 0:
			b.WriteString("!close\n")
			open[t.session] = false
		case t.behind:
			fmt.Fprintf(&b, "# behind: %q\n", wire)
		case t.waits:
			b.WriteString("!blocks\n")
		}
		if t.behind {
			continue
		}
		if raw {
			var bytes []byte
			for _, args := range wire {
				bytes = resp.AppendCommand(bytes, args...)
			}
			fmt.Fprintf(&b, "!raw %s %d\n", rawWord(bytes), len(wire))
		} else {
			b.WriteString(waitLines(wire))
		}
		for _, i := range t.served {
			turn(i)
			b.WriteString("!await\n")
		}
	}
	b.WriteString("!blocked\n")
	return b.String()
}

// rawWord quotes bytes for !raw.
func rawWord(raw []byte) string {
	return strings.NewReplacer(`\x0d`, `\r`, `\x0a`, `\n`).Replace(quoteWord(string(raw)))
}

// waitLines are commands, one a line.
func waitLines(wire [][]string) string {
	var b strings.Builder
	for _, args := range wire {
		for i, a := range args {
			if i > 0 {
				b.WriteByte(' ')
			}
			if _, ok := idOf(a); ok {
				b.WriteString(a)
			} else {
				b.WriteString(quoteWord(a))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
