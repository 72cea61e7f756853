package difftest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// shrinker looks for the shortest sequence that shows a difference.
type shrinker struct {
	f      *fuzzer
	best   *sequence
	fault  *seqFault
	budget int // plays that are left
	err    error
}

// shrink reduces a sequence with a fault: it removes steps, then arguments, then simplifies the
// rest, until nothing more helps.
func (f *fuzzer) shrink(seq *sequence, fault *seqFault) (*sequence, *seqFault, error) {
	s := &shrinker{f: f, best: seq, fault: fault, budget: 4000}
	if !s.try(s.with(seq.items[:min(fault.at+1, len(seq.items))])) {
		fault.text += "\n(it did not show again)"
		return s.best, fault, s.err
	}
	for before := -1; before != s.size() && s.budget > 0; {
		before = s.size()
		s.dropItems()
		s.simplifyItems()
		s.dropArguments()
		s.simplifyArguments()
		s.simplifyStyle()
	}
	return s.best, s.fault, s.err
}

// size is the measure that shrinking reduces.
func (s *shrinker) size() int {
	n := 0
	for _, it := range s.best.items {
		n += 10 * it.frames()
		for i := range it.steps {
			for _, a := range it.steps[i].Args {
				n += 5 + len(a)
			}
		}
	}
	return n
}

func (s *shrinker) with(items []*item) *sequence {
	c := *s.best
	c.items = items
	return &c
}

// try keeps seq if it shows a difference, without the items behind the difference.
func (s *shrinker) try(seq *sequence) bool {
	if s.budget <= 0 || s.err != nil {
		return false
	}
	for _, it := range seq.items {
		if !it.safe() {
			return false
		}
	}
	s.budget--
	fault, err := s.f.play(seq)
	if err != nil && s.f.revive != nil {
		s.err = s.f.revive() // what is shorter may end the oracle
		return false
	}
	if err != nil {
		s.err = err
		return false
	}
	if fault == nil {
		return false
	}
	c := *seq
	c.items = slices.Clone(seq.items[:min(fault.at+1, len(seq.items))])
	s.best, s.fault = &c, fault
	return true
}

func (s *shrinker) dropItems() {
	for size := max(1, len(s.best.items)/2); size > 0; size /= 2 {
		for at := 0; at+size <= len(s.best.items); {
			items := slices.Delete(slices.Clone(s.best.items), at, at+size)
			if !s.try(s.with(items)) {
				at += size
			}
		}
	}
}

// change tries a sequence with another item i.
func (s *shrinker) change(i int, it *item) bool {
	items := slices.Clone(s.best.items)
	items[i] = it
	return s.try(s.with(items))
}

func (s *shrinker) simplifyItems() {
	for i := 0; i < len(s.best.items); i++ {
		if it := s.best.items[i]; it.db != 0 {
			c := *it
			c.db = 0
			s.change(i, &c)
		}
		for k := 0; i < len(s.best.items) && k < len(s.best.items[i].steps) && len(s.best.items[i].steps) > 1; {
			c := *s.best.items[i]
			c.steps, c.rows = slices.Delete(slices.Clone(c.steps), k, k+1), slices.Delete(slices.Clone(c.rows), k, k+1)
			if !s.change(i, &c) {
				k++
			}
		}
		if i >= len(s.best.items) {
			return
		}
		if it := s.best.items[i]; it.door != wrapNone && len(it.steps) == 1 {
			c := *it
			c.door = wrapNone
			s.change(i, &c)
		}
		if i >= len(s.best.items) {
			return
		}
		if it := s.best.items[i]; len(it.after) > 0 {
			c := *it
			c.after = nil
			s.change(i, &c)
		}
	}
}

// argument tries item i with other arguments in step k.
func (s *shrinker) arguments(i, k int, args []string) bool {
	c := *s.best.items[i]
	c.steps = slices.Clone(c.steps)
	c.steps[k].Args = args
	if c.steps[k].Relax != (Relax{}) || strings.HasPrefix(c.rows[k].name, "sort") {
		c.steps[k].Relax = relaxationFor(c.rows[k], args)
		c.relax()
	}
	return s.change(i, &c)
}

// each calls f for every argument except the names of commands, from the last to the first.
func (s *shrinker) each(f func(i, k, j int, args []string)) {
	for i := 0; i < len(s.best.items); i++ {
		for k := 0; i < len(s.best.items) && k < len(s.best.items[i].steps); k++ {
			for j := len(s.best.items[i].steps[k].Args) - 1; j > 0; j-- {
				if i < len(s.best.items) && k < len(s.best.items[i].steps) && j < len(s.best.items[i].steps[k].Args) {
					f(i, k, j, s.best.items[i].steps[k].Args)
				}
			}
		}
	}
}

func (s *shrinker) dropArguments() {
	s.each(func(i, k, j int, args []string) {
		for n := min(64, len(args)-j); n > 0; n /= 2 {
			if s.arguments(i, k, slices.Delete(slices.Clone(args), j, j+n)) {
				return
			}
		}
	})
}

func (s *shrinker) simplifyArguments() {
	s.each(func(i, k, j int, args []string) {
		if isNumber(args[j]) && s.best.items[i].rows[k].timed() {
			return // a time that could expire while the oracle runs
		}
		for _, simple := range simpler(args[j]) {
			c := slices.Clone(args)
			c[j] = simple
			if s.arguments(i, k, c) {
				return
			}
		}
	})
}

func isNumber(a string) bool {
	_, err := strconv.ParseInt(a, 10, 64)
	return err == nil
}

// timed reports whether the command takes an expiry time.
func (r *row) timed() bool {
	var find func(args []cmdtable.Arg) bool
	find = func(args []cmdtable.Arg) bool {
		return slices.ContainsFunc(args, func(a cmdtable.Arg) bool { return isTime(a) || find(a.Args) })
	}
	return find(r.syntax)
}

// simpler are shorter texts, the shortest first.
func simpler(a string) []string {
	var list []string
	for _, c := range []string{"", "a", "1", "0"} {
		if len(c) < len(a) || len(c) == len(a) && len(a) > 0 && c < a && a != "a" && a != "1" && a != "0" {
			list = append(list, c)
		}
	}
	if len(a) > 3 {
		list = append(list, a[:len(a)/2], a[len(a)/2:], a[:len(a)-1], a[1:])
	}
	return list
}

func (s *shrinker) simplifyStyle() {
	for _, f := range []func(*sequence){
		func(c *sequence) { c.served = false },
		func(c *sequence) { c.style.proto = 2 },
		func(c *sequence) { c.style.limits = 0 },
	} {
		c := *s.best
		f(&c)
		if c.served != s.best.served || c.style.proto != s.best.style.proto || c.style.limits != s.best.style.limits {
			s.try(&c)
		}
	}
}

// text writes the sequence as a case file.
func (seq *sequence) text() string {
	var b strings.Builder
	if seq.style.cluster {
		b.WriteString("!cluster\n")
	}
	plain := true
	for _, it := range seq.items {
		plain = plain && it.door == wrapNone && it.db == 0
	}
	if !plain {
		b.WriteString("!doors resp,go\n")
	}
	f := &File{}
	if seq.style.limits != 0 {
		f.Steps = append(f.Steps, Step{Args: seq.style.limitCommand(seq.server)})
	}
	if seq.style.proto == 3 {
		f.Steps = append(f.Steps, Step{kind: stepResp, N: 3})
	}
	for _, it := range seq.items {
		for n, args := range it.wire(nil, seq.style.proto) {
			s := Step{Args: args}
			at := n
			if it.db != 0 {
				at--
			}
			switch {
			case it.door != wrapExec && at == 0:
				s.Relax = it.steps[0].Relax
			case it.door == wrapExec && at == len(it.steps)+1 && len(it.steps) == 1:
				s.Relax = it.steps[0].Relax
			}
			f.Steps = append(f.Steps, s)
		}
	}
	fmt.Fprint(&b, caseText(f))
	return b.String()
}
