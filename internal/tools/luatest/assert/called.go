package assert

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

func (l *Library) addSpies() {
	count := func(word string, holds func(n, want float64) bool) assertion {
		return assertion{run: func(s *state) (outcome, error) { return l.called(s, word, holds) }}
	}
	l.assertions["called"] = count("", func(n, want float64) bool { return n == want })
	l.assertions["called_at_least"] = count("at least ", func(n, want float64) bool { return n >= want })
	l.assertions["called_at_most"] = count("at most ", func(n, want float64) bool { return n <= want })
	l.assertions["called_more_than"] = count("more than ", func(n, want float64) bool { return n > want })
	l.assertions["called_less_than"] = count("less than ", func(n, want float64) bool { return n < want })
	l.assertions["called_with"] = assertion{run: func(s *state) (outcome, error) {
		return l.calledWith(s, "a call with ", "the calls were:", func(c spied) ([]luabridge.Value, bool) { return c.args, true })
	}}
	l.assertions["returned_with"] = assertion{run: func(s *state) (outcome, error) {
		return l.calledWith(s, "a call that returned ", "the calls returned:", func(c spied) ([]luabridge.Value, bool) {
			return c.results, c.returned
		})
	}}
}

// spied returns the spy of assert.spy(...) or assert.stub(...).
func (s *state) spied() (*Spy, error) {
	if s.of != "spy" && s.of != "stub" {
		return nil, fmt.Errorf("this assertion must follow assert.spy(...) or assert.stub(...)")
	}
	return s.lib.spyOf(s.payload)
}

// called compares the number of calls. Without a number it holds if there was a call.
func (l *Library) called(s *state, word string, holds func(n, want float64) bool) (outcome, error) {
	spy, err := s.spied()
	if err != nil {
		return outcome{}, err
	}
	n := float64(len(spy.calls))
	want := s.arg(0)
	var ok bool
	expected := "a call"
	if want.Kind() == luabridge.NumberKind {
		ok, expected = holds(n, want.Number()), word+calls(want.Text())
	} else {
		ok = n > 0
	}
	return outcome{ok: ok, failure: func(not bool) Failure {
		begin := "expected "
		if not {
			begin = "did not expect "
		}
		return Failure{Message: begin + expected + ", there were " + calls(fmt.Sprintf("%.0f", n)) + spy.shown("the calls were:", argsOf)}
	}}, nil
}

func calls(n string) string {
	if n == "1" {
		return "1 call"
	}
	return n + " calls"
}

func argsOf(c spied) ([]luabridge.Value, bool) { return c.args, true }

// shownCalls is the number of calls that a failure shows.
const shownCalls = 8

// shown lists the calls of a spy.
func (s *Spy) shown(heading string, of func(spied) ([]luabridge.Value, bool)) string {
	var b strings.Builder
	for i, c := range s.calls {
		if i == 0 {
			b.WriteString("; " + heading)
		}
		if i == shownCalls {
			fmt.Fprintf(&b, "\n  … %d more", len(s.calls)-i)
			break
		}
		if values, ok := of(c); ok {
			b.WriteString("\n  " + list(values))
		} else {
			b.WriteString("\n  an error")
		}
	}
	return b.String()
}

// calledWith holds if the arguments, or results, of a call match those of the assertion.
func (l *Library) calledWith(s *state, what, heading string, of func(spied) ([]luabridge.Value, bool)) (outcome, error) {
	spy, err := s.spied()
	if err != nil {
		return outcome{}, err
	}
	out := outcome{failure: func(not bool) Failure {
		begin := "expected "
		if not {
			begin = "did not expect "
		}
		text := begin + what + list(s.args)
		if len(spy.calls) == 0 {
			return Failure{Message: text + "; there were no calls"}
		}
		return Failure{Message: text + spy.shown(heading, of)}
	}}
	for _, c := range spy.calls {
		values, ok := of(c)
		if !ok {
			continue
		}
		if out.ok, err = l.matchArgs(s.args, values); err != nil || out.ok {
			return out, err
		}
	}
	return out, nil
}

// matcher says whether a value is one that a test expects.
type matcher func(v luabridge.Value) (bool, error)

// matchArgs reports whether values are as a test expects them: each is equal, or fits a matcher.
func (l *Library) matchArgs(expected, values []luabridge.Value) (bool, error) {
	if len(expected) != len(values) {
		return false, nil
	}
	for i, want := range expected {
		ok, err := false, error(nil)
		switch m := l.matchers[want.ID()]; {
		case want == l.any:
			ok = true
		case m != nil && want.ID() != 0:
			ok, err = m(values[i])
		default:
			ok, err = luavalue.Equal(want, values[i])
		}
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// matchModule returns the global match: match._ matches any value, and match.is_number() and other
// assertions match the values for which they hold.
func (l *Library) matchModule() luabridge.Value {
	t := l.tool
	l.any = t.Table()
	m, meta := t.Table(), t.Table()
	m.Set("_", l.any)
	m.Set("is_matcher", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(t.Bool(c.Arg(0) == l.any || l.matchers[c.Arg(0).ID()] != nil))
	}))
	meta.Set("__index", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(l.matchChain(words(c.Arg(1).Text())))
	}))
	m.SetMetatable(meta)
	return m
}

func (l *Library) matchChain(chain []string) luabridge.Value {
	t := l.tool
	o, meta := t.Table(), t.Table()
	meta.Set("__index", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(l.matchChain(append(chain[:len(chain):len(chain)], words(c.Arg(1).Text())...)))
	}))
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return l.newMatcher(c, chain, c.From(1)) }))
	o.SetMetatable(meta)
	return o
}

// newMatcher returns a matcher that runs an assertion with a value and further arguments.
func (l *Library) newMatcher(c *luabridge.ToolCall, chain []string, args []luabridge.Value) ([]luabridge.Value, error) {
	modifiers, name, err := l.parse(chain)
	if err != nil {
		return nil, err
	}
	a, ok := l.assertions[name]
	if !ok {
		return nil, fmt.Errorf("match.%s is no assertion", strings.Join(chain, "_"))
	}
	if len(args)+1 < a.least {
		return nil, fmt.Errorf("match.%s needs at least %d arguments, got %d", name, a.least-1, len(args))
	}
	value := l.tool.Table()
	l.matchers[value.ID()] = func(v luabridge.Value) (bool, error) {
		at := min(a.subject, len(args))
		s := &state{lib: l, call: c, args: append(append(append([]luabridge.Value{}, args[:at]...), v), args[at:]...)}
		for _, m := range modifiers {
			if run := l.modifiers[m].run; run != nil {
				if err := run(s); err != nil {
					return false, err
				}
			}
		}
		out, err := a.run(s)
		return out.ok != s.not, err
	}
	return one(value)
}
