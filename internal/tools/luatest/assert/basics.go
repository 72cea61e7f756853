package assert

import (
	"fmt"
	"math"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

func (l *Library) addBasics() {
	l.assertions["equals"] = assertion{least: 2, run: l.equals, subject: 1}
	l.assertions["equal"] = l.assertions["equals"]
	l.assertions["same"] = assertion{least: 2, run: l.same, subject: 1}
	l.assertions["near"] = assertion{least: 3, run: l.near, subject: 1}
	l.assertions["unique"] = assertion{least: 1, run: l.unique}
	l.assertions["matches"] = assertion{least: 2, run: l.matches, subject: 1}
	l.assertions["match"] = l.assertions["matches"]
	l.assertions["returned_arguments"] = assertion{least: 1, run: l.returnedArguments}
	l.assertions["holes"] = assertion{run: l.holes}

	l.addCondition("truthy", "a value that is neither nil nor false", luabridge.Value.Truth)
	l.addCondition("falsy", "nil or false", func(v luabridge.Value) bool { return !v.Truth() })
	l.addCondition("true", "true", func(v luabridge.Value) bool { return v.Kind() == luabridge.BooleanKind && v.Bool() })
	l.addCondition("false", "false", func(v luabridge.Value) bool { return v.Kind() == luabridge.BooleanKind && !v.Bool() })
	l.addCondition("callable", "something that can be called", func(v luabridge.Value) bool {
		return v.Kind() == luabridge.FunctionKind || v.Metamethod("__call").Kind() == luabridge.FunctionKind
	})
	for _, kind := range []luabridge.Kind{luabridge.NilKind, luabridge.BooleanKind, luabridge.NumberKind, luabridge.StringKind,
		luabridge.TableKind, luabridge.FunctionKind, luabridge.ThreadKind, luabridge.UserdataKind} {
		what := "a " + kind.String()
		if kind == luabridge.NilKind {
			what = "nil"
		}
		l.addCondition(kind.String(), what, func(v luabridge.Value) bool { return v.Kind() == kind })
	}
}

// addCondition adds an assertion of one value. what names the values that it holds for.
func (l *Library) addCondition(name, what string, holds func(luabridge.Value) bool) {
	l.assertions[name] = assertion{run: func(s *state) (outcome, error) {
		s.noteAt(1)
		return outcome{ok: holds(s.arg(0)), failure: func(not bool) Failure {
			word := "expected "
			if not {
				word = "did not expect "
			}
			f := Failure{Message: word + what + ", found " + typed(s.arg(0))}
			if v := s.arg(0); !not && what == "nil" && v.Kind() == luabridge.BooleanKind && !v.Bool() {
				f.Hint = "A nil reply of Redis is false in Lua."
			}
			return f
		}}, nil
	}}
}

// noteAt takes argument i, from 0, as the message of the test's author.
func (s *state) noteAt(i int) {
	if v := s.arg(i); v.Kind() != luabridge.NilKind && s.note == "" {
		s.note = s.lib.text(v)
	}
}

// equal compares values as == does.
func (l *Library) equal(a, b luabridge.Value) (bool, error) {
	if a == b {
		return true, nil
	}
	if a.Kind() != luabridge.TableKind || b.Kind() != luabridge.TableKind {
		return false, nil
	}
	fn := a.Metamethod("__eq")
	if fn.Kind() == luabridge.NilKind || fn != b.Metamethod("__eq") {
		return false, nil
	}
	results, err := l.tool.Call(fn, a, b)
	return err == nil && len(results) > 0 && results[0].Truth(), err
}

func (l *Library) equals(s *state) (outcome, error) {
	s.noteAt(2)
	equal, err := l.equal(s.arg(0), s.arg(1))
	return outcome{ok: equal, failure: func(not bool) Failure {
		if not {
			return Failure{Message: "expected to differ from " + typed(s.arg(0))}
		}
		f := compared("expected to be equal:", s.arg(0), s.arg(1))
		if same, err := luavalue.Equal(s.arg(0), s.arg(1)); same && err == nil {
			f.Hint = "They are two tables with the same content, which are.same would accept."
		}
		return f
	}}, err
}

func (l *Library) same(s *state) (outcome, error) {
	s.noteAt(2)
	same, err := luavalue.Equal(s.arg(0), s.arg(1))
	return outcome{ok: same, failure: func(not bool) Failure {
		if not {
			return Failure{Message: "expected not to be the same as " + luavalue.Format(s.arg(0))}
		}
		return compared("expected to be the same:", s.arg(0), s.arg(1))
	}}, err
}

// near holds if the second number differs from the first by at most the third.
func (l *Library) near(s *state) (outcome, error) {
	for i := range 3 {
		if s.arg(i).Kind() != luabridge.NumberKind {
			return outcome{}, s.wrongType("near", i, "a number")
		}
	}
	s.noteAt(3)
	expected, found, tolerance := s.arg(0).Number(), s.arg(1).Number(), s.arg(2).Number()
	return outcome{ok: math.Abs(expected-found) <= tolerance, failure: func(not bool) Failure {
		word := "expected"
		if not {
			word = "did not expect"
		}
		return Failure{Message: fmt.Sprintf("%s a number within %s of %s, found %s", word, s.arg(2).Text(), s.arg(0).Text(), s.arg(1).Text())}
	}}, nil
}

// wrongType returns the error of an argument of the wrong type.
func (s *state) wrongType(name string, i int, want string) error {
	return fmt.Errorf("argument %d of assert.%s must be %s, not %s", i+1, name, want, typed(s.arg(i)))
}

// unique holds if no two values of a table are equal; with true as the second argument, the same.
func (l *Library) unique(s *state) (outcome, error) {
	if s.arg(0).Kind() != luabridge.TableKind {
		return outcome{}, s.wrongType("unique", 0, "a table")
	}
	deep := s.arg(1).Kind() == luabridge.BooleanKind && s.arg(1).Bool()
	s.noteAt(2)
	if s.arg(1).Kind() == luabridge.StringKind {
		s.noteAt(1)
	}
	fields := s.arg(0).Fields()
	seen := map[luabridge.Value]bool{}
	for i, f := range fields {
		twice := seen[f.Value]
		seen[f.Value] = true
		for _, g := range fields[:i] {
			if twice || !deep {
				break
			}
			var err error
			if twice, err = luavalue.Equal(f.Value, g.Value); err != nil {
				return outcome{}, err
			}
		}
		if twice {
			return outcome{failure: func(bool) Failure {
				return Failure{Message: "expected values of which no two are equal; this one occurs twice: " + luavalue.Format(f.Value)}
			}}, nil
		}
	}
	return outcome{ok: true, failure: func(bool) Failure {
		return Failure{Message: "expected values of which two are equal: " + luavalue.Format(s.arg(0))}
	}}, nil
}

// matches holds if a text matches a pattern of Lua: matches(pattern, text [, init [, plain]]). It
// returns the captures.
func (l *Library) matches(s *state) (outcome, error) {
	if k := s.arg(0).Kind(); k != luabridge.StringKind {
		return outcome{}, s.wrongType("matches", 0, "a pattern")
	}
	text := l.text(s.arg(1))
	ok, values, err := l.matchText(s.arg(0), text, s.arg(2), s.arg(3))
	for i := 2; i < 5; i++ {
		if s.arg(i).Kind() == luabridge.StringKind {
			s.noteAt(i)
		}
	}
	return outcome{ok: ok, values: values, failure: func(not bool) Failure {
		word := "expected a text that matches "
		if not {
			word = "did not expect a text that matches "
		}
		return Failure{Message: word + luavalue.FormatShort(s.arg(0)) + ", found " + luavalue.FormatShort(l.tool.String(text))}
	}}, err
}

// matchText reports whether a text matches a pattern of Lua, and returns the captures.
func (l *Library) matchText(pattern luabridge.Value, text string, init, plain luabridge.Value) (ok bool, values []luabridge.Value,
	err error) {
	if init.Kind() != luabridge.NumberKind {
		init = l.tool.Int(1)
	}
	fn := l.match
	if plain.Truth() && plain.Kind() == luabridge.BooleanKind {
		fn = l.find
	}
	values, err = l.tool.Call(fn, l.tool.String(text), pattern, init, plain)
	ok = err == nil && len(values) > 0 && values[0].Kind() != luabridge.NilKind
	if !ok {
		values = nil
	}
	return ok, values, err
}

// returnedArguments holds if a call has as many arguments as the first one says, besides it.
func (l *Library) returnedArguments(s *state) (outcome, error) {
	if s.arg(0).Kind() != luabridge.NumberKind {
		return outcome{}, s.wrongType("returned_arguments", 0, "a number")
	}
	n := len(s.args) - 1
	return outcome{ok: float64(n) == s.arg(0).Number(), failure: func(not bool) Failure {
		word := "expected"
		if not {
			word = "did not expect"
		}
		return Failure{Message: fmt.Sprintf("%s %s values, found %d", word, s.arg(0).Text(), n)}
	}}, nil
}

// holes holds if the list of assert.array has a hole before its last element, or before the length
// that is the argument.
func (l *Library) holes(s *state) (outcome, error) {
	if s.of != "array" || s.payload.Kind() != luabridge.TableKind {
		return outcome{}, fmt.Errorf("holes must follow assert.array(table)")
	}
	last := 0.0
	there := map[float64]bool{}
	for _, f := range s.payload.Fields() {
		if n := f.Key.Number(); n >= 1 && n == math.Floor(n) {
			there[n] = true
			last = max(last, n)
		}
	}
	if s.arg(0).Kind() == luabridge.NumberKind {
		last = s.arg(0).Number()
	}
	hole := 0.0
	for i := 1.0; i <= last && i <= float64(len(there)+1); i++ {
		if !there[i] {
			hole = i
			break
		}
	}
	return outcome{ok: hole > 0, failure: func(not bool) Failure {
		if not {
			return Failure{Message: fmt.Sprintf("did not expect a hole, found one at index %.0f", hole)}
		}
		return Failure{Message: "expected a hole, found none"}
	}}, nil
}
