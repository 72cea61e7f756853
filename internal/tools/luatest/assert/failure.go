package assert

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// Failure is an assertion that does not hold.
type Failure struct {
	Note            string          // the message of the test's author, or ""
	Message         string          // what was expected
	Expected, Found string          // both values, if they are short
	Diff            []textdiff.Line // otherwise the lines in which they differ
	Hint            string          // what may be the reason, or ""
}

// Text returns the failure as text of one line or more.
func (f Failure) Text() string {
	var b strings.Builder
	if f.Note != "" {
		b.WriteString(f.Note + "\n")
	}
	b.WriteString(f.Message)
	if f.Expected != "" {
		fmt.Fprintf(&b, "\n  expected: %s\n     found: %s", f.Expected, f.Found)
	}
	if len(f.Diff) > 0 {
		b.WriteString("\n- expected   + found")
		for _, line := range f.Diff {
			b.WriteString("\n" + line.String())
		}
	}
	if f.Hint != "" {
		b.WriteString("\n" + f.Hint)
	}
	return b.String()
}

// raised is a failure with the error value that carries it through Lua code.
type raised struct {
	value   luabridge.Value
	failure Failure
}

// raise returns the error with which an assertion fails: a table with the field message, which
// tostring shows.
func (l *Library) raise(c *luabridge.ToolCall, f Failure) error {
	t := l.tool
	text := c.Where(1) + f.Text()
	value, meta := t.Table(), t.Table()
	value.Set("message", t.String(text))
	meta.Set("__tostring", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return one(c.Arg(0).Get("message")) }))
	value.SetMetatable(meta)
	l.failures[value.ID()] = raised{value, f}
	return luabridge.Raise(value, text)
}

// Fail returns the error with which an assertion fails.
func (l *Library) Fail(c *luabridge.ToolCall, f Failure) error { return l.raise(c, f) }

// FailureOf returns the failure that an error value carries.
func (l *Library) FailureOf(v luabridge.Value) (f Failure, ok bool) {
	r, ok := l.failures[v.ID()]
	return r.failure, ok && v.ID() != 0
}

// shortValue is the length up to which a value is shown on one line.
const shortValue = 60

// compared returns the failure of two values that should be equal.
func compared(message string, expected, found luabridge.Value) Failure {
	f := Failure{Message: message, Hint: hint(expected, found)}
	a, b := luavalue.FormatShort(expected), luavalue.FormatShort(found)
	tables := expected.Kind() == luabridge.TableKind && found.Kind() == luabridge.TableKind
	if tables || len(a) > shortValue && len(b) > shortValue || strings.Contains(a, `\n`) && strings.Contains(b, `\n`) {
		f.Diff = luavalue.Diff(expected, found)
	}
	if f.Diff == nil {
		f.Expected, f.Found = a, b
	}
	return f
}

// hint returns a likely reason why two values differ.
func hint(expected, found luabridge.Value) string {
	a, b := expected.Kind(), found.Kind()
	number := func(k luabridge.Kind) bool { return k == luabridge.NumberKind }
	text := func(k luabridge.Kind) bool { return k == luabridge.StringKind }
	switch {
	case (number(a) && text(b) || text(a) && number(b)) && expected.Text() == found.Text():
		return "One is a number, the other a string: Redis keeps strings."
	case a == luabridge.NilKind && b == luabridge.BooleanKind && !found.Bool():
		return "A nil reply of Redis is false in Lua."
	}
	return ""
}

// plainText returns a value as tostring writes it without metatables; of a table or function only
// what it is.
func plainText(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.StringKind, luabridge.NumberKind:
		return v.Text()
	}
	return luavalue.FormatShort(v)
}

// typed shows a value with its type, for messages.
func typed(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.NilKind, luabridge.BooleanKind:
		return luavalue.FormatShort(v)
	}
	text := luavalue.FormatShort(v)
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	if text == "<"+v.Kind().String()+">" {
		return "a " + v.Kind().String()
	}
	return text + " (a " + v.Kind().String() + ")"
}
