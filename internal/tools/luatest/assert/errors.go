package assert

import (
	"errors"
	"regexp"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

func (l *Library) addErrors() {
	l.assertions["error"] = assertion{least: 1, run: l.hasError}
	l.assertions["errors"] = l.assertions["error"]
	for _, name := range []string{"error_matches", "error_match", "matches_error", "match_error"} {
		l.assertions[name] = assertion{least: 2, run: l.errorMatches}
	}
}

// caught calls a function. failed reports whether it has failed, with the error value.
func (s *state) caught(name string) (value luabridge.Value, failed bool, err error) {
	fn := s.arg(0)
	if fn.Kind() != luabridge.FunctionKind && fn.Metamethod("__call").Kind() != luabridge.FunctionKind {
		return value, false, s.wrongType(name, 0, "a function")
	}
	_, problem := s.lib.tool.Call(fn)
	if problem == nil {
		return value, false, nil
	}
	var e *luabridge.ToolError
	if !errors.As(problem, &e) {
		return value, true, problem
	}
	return e.Value, true, nil
}

// place is a position at the beginning of an error text.
var place = regexp.MustCompile(`^[^\n]*?:[0-9]+: `)

// scriptPlace is what Redis adds to the error of a script.
var scriptPlace = regexp.MustCompile(` script: [0-9a-zA-Z_]+, on @?[^ ]*:[0-9]+\.$`)

// texts returns the forms of an error that a test may expect: as it is, without the position, and
// of a table the text that tostring shows, or its field err, with and without what Redis has added.
func (l *Library) texts(v luabridge.Value) (list []string) {
	switch v.Kind() {
	case luabridge.StringKind, luabridge.NumberKind:
		return append(list, place.ReplaceAllString(v.Text(), ""), v.Text())
	case luabridge.TableKind:
		if v.Metamethod("__tostring").Kind() != luabridge.NilKind {
			list = append(list, l.text(v), place.ReplaceAllString(l.text(v), ""))
		}
		if text := v.Get("err"); text.Kind() == luabridge.StringKind {
			list = append(list, text.Text(), scriptPlace.ReplaceAllString(text.Text(), ""))
		}
	}
	return list
}

// hasError holds if a function fails: error(function [, expected]). An expected text is compared
// with the text of the error; anything else with the error value, as same does. It returns the
// error value, of a text the text without its position.
func (l *Library) hasError(s *state) (outcome, error) {
	value, failed, err := s.caught("error")
	if err != nil {
		return outcome{}, err
	}
	s.noteAt(2)
	expected := s.arg(1)
	out := outcome{ok: failed, failure: func(not bool) Failure { return l.errorFailure(not, failed, expected, value) }}
	if failed && expected.Kind() != luabridge.NilKind {
		if out.ok, err = luavalue.Equal(expected, value); err != nil {
			return outcome{}, err
		}
		if k := expected.Kind(); k == luabridge.StringKind || k == luabridge.NumberKind {
			for _, text := range l.texts(value) {
				out.ok = out.ok || text == expected.Text()
			}
		}
	}
	if value.Kind() == luabridge.StringKind {
		value = l.tool.String(l.texts(value)[0])
	}
	out.values = []luabridge.Value{value}
	return out, nil
}

func (l *Library) errorFailure(not, failed bool, expected, value luabridge.Value) Failure {
	switch {
	case not && expected.Kind() == luabridge.NilKind:
		return Failure{Message: "did not expect an error, but it failed with: " + l.describe(value)}
	case not:
		return Failure{Message: "did not expect the error " + luavalue.Format(expected)}
	case !failed && expected.Kind() == luabridge.NilKind:
		return Failure{Message: "expected an error, but there was none"}
	case !failed:
		return Failure{Message: "expected an error, but there was none:", Expected: luavalue.FormatShort(expected), Found: "no error"}
	}
	if expected.Kind() != luabridge.TableKind {
		value = l.tool.String(l.describe(value))
	}
	return compared("expected another error:", expected, value)
}

// describe returns an error value as text.
func (l *Library) describe(value luabridge.Value) string {
	if list := l.texts(value); len(list) > 0 {
		return list[0]
	}
	return luavalue.Format(value)
}

// errorMatches holds if a function fails with a text that matches a pattern of Lua:
// error_matches(function, pattern [, init [, plain]]).
func (l *Library) errorMatches(s *state) (outcome, error) {
	value, failed, err := s.caught("error_matches")
	if err != nil {
		return outcome{}, err
	}
	if s.arg(1).Kind() != luabridge.StringKind {
		return outcome{}, s.wrongType("error_matches", 1, "a pattern")
	}
	out := outcome{failure: func(not bool) Failure {
		switch {
		case not:
			return Failure{Message: "did not expect an error that matches " + luavalue.FormatShort(s.arg(1)) + ", found: " + l.describe(value)}
		case !failed:
			return Failure{Message: "expected an error that matches " + luavalue.FormatShort(s.arg(1)) + ", but there was none"}
		}
		return Failure{Message: "expected an error that matches " + luavalue.FormatShort(s.arg(1)) + ", found: " + l.describe(value)}
	}}
	if failed {
		for _, text := range l.texts(value) {
			ok, captures, err := l.matchText(s.arg(1), text, s.arg(2), s.arg(3))
			if err != nil {
				return outcome{}, err
			}
			if ok && !out.ok {
				out.ok, out.values = true, captures
			}
		}
	}
	return out, nil
}
