package assert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// Commands makes spies and stubs of commands of Redis.
type Commands interface {
	// Spy begins to note the calls of a command. calls returns those since the last call of calls, the
	// arguments and the reply of each.
	Spy(name string) (calls func() []CommandCall, end func(), err error)
	// Stub makes a command answer with what answer returns, and not run.
	Stub(name string, answer func(args []luabridge.Value) (luabridge.Value, error)) (end func(), err error)
}

// CommandCall is a call of a command.
type CommandCall struct {
	Args  []luabridge.Value
	Reply luabridge.Value
}

// Spy notes the calls of a function or a command.
type Spy struct {
	lib      *Library
	value    luabridge.Value // the table that Lua code has
	callback luabridge.Value // what a call calls; nil: nothing
	stub     *answers        // what a stub returns in place of callback; nil: it is not a stub
	calls    []spied
	more     func() []CommandCall // of a command
	end      func()               // undoes the spy; nil: nothing to undo
	reverted bool
}

// spied is a call: copies of its arguments, the arguments, copies of its results.
type spied struct {
	args, refs []luabridge.Value
	results    []luabridge.Value
	returned   bool // it did not fail
}

// keptCalls is the number of calls that a spy remembers.
const keptCalls = 100_000

// newSpy returns a spy.
func (l *Library) newSpy(callback luabridge.Value) *Spy {
	s := &Spy{lib: l, callback: callback, value: l.tool.Table()}
	s.value.SetMetatable(l.spyMeta)
	l.spies[s.value.ID()] = s
	l.reverts = append(l.reverts, s)
	return s
}

// Mark returns a mark for [Library.Revert].
func (l *Library) Mark() int { return len(l.reverts) }

// Revert undoes the spies and stubs that were made since a mark.
func (l *Library) Revert(mark int) {
	for len(l.reverts) > mark {
		s := l.reverts[len(l.reverts)-1]
		l.reverts = l.reverts[:len(l.reverts)-1]
		s.revert()
		delete(l.spies, s.value.ID())
	}
}

func (s *Spy) revert() {
	if !s.reverted {
		s.reverted = true
		s.fetch()
		if s.end != nil {
			s.end()
		}
	}
}

// fetch takes over the calls of a command.
func (s *Spy) fetch() {
	if s.more == nil {
		return
	}
	for _, c := range s.more() {
		s.calls = append(s.calls, spied{args: c.Args, refs: c.Args, results: []luabridge.Value{c.Reply}, returned: true})
	}
}

// called notes a call and does what the spy stands for.
func (s *Spy) called(args []luabridge.Value) ([]luabridge.Value, error) {
	if len(s.calls) >= keptCalls {
		return nil, fmt.Errorf("a spy was called more than %d times", keptCalls)
	}
	s.calls = append(s.calls, spied{args: s.lib.copies(args), refs: args})
	at := len(s.calls) - 1
	results, err := s.do(args)
	if err == nil && at < len(s.calls) { // it may have been cleared
		s.calls[at].results, s.calls[at].returned = s.lib.copies(results), true
	}
	return results, err
}

func (s *Spy) do(args []luabridge.Value) ([]luabridge.Value, error) {
	if s.stub != nil {
		return s.stub.answer(args)
	}
	if s.callback.Kind() == luabridge.NilKind {
		return nil, nil
	}
	return s.lib.tool.Call(s.callback, args...)
}

// copies copies values, but no matchers.
func (l *Library) copies(values []luabridge.Value) []luabridge.Value {
	list := make([]luabridge.Value, len(values))
	for i, v := range values {
		list[i] = v
		if v != l.any && l.matchers[v.ID()] == nil {
			list[i] = luavalue.Copy(l.tool, v)
		}
	}
	return list
}

// spyOf returns the spy that a value is.
func (l *Library) spyOf(v luabridge.Value) (*Spy, error) {
	if s := l.spies[v.ID()]; s != nil {
		s.fetch()
		return s, nil
	}
	return nil, fmt.Errorf("a spy or a stub expected, not %s", typed(v))
}

// spyModule returns the global spy: spy(function), spy("HSET"), spy.new(function), spy.on(table,
// name), spy.is_spy(value).
func (l *Library) spyModule() luabridge.Value {
	t := l.tool
	l.spyMeta = l.metatable()
	m, meta := t.Table(), t.Table()
	m.Set("new", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return l.spyOn(c, c.Arg(0)) }))
	m.Set("on", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		s, err := l.replace(c.Arg(0), c.Arg(1), false)
		return spyValue(s, err)
	}))
	m.Set("is_spy", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(t.Bool(l.spies[c.Arg(0).ID()] != nil))
	}))
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return l.spyOn(c, c.Arg(1)) }))
	m.SetMetatable(meta)
	return m
}

func spyValue(s *Spy, err error) ([]luabridge.Value, error) {
	if err != nil {
		return nil, err
	}
	return one(s.value)
}

// spyOn returns a spy of a function, or of the command with that name.
func (l *Library) spyOn(_ *luabridge.ToolCall, what luabridge.Value) ([]luabridge.Value, error) {
	if what.Kind() == luabridge.StringKind {
		return spyValue(l.commandSpy(what.Text()))
	}
	if !callable(what) {
		return nil, fmt.Errorf("spy needs a function or the name of a command, not %s", typed(what))
	}
	return one(l.newSpy(what).value)
}

func callable(v luabridge.Value) bool {
	return v.Kind() == luabridge.FunctionKind || v.Metamethod("__call").Kind() == luabridge.FunctionKind
}

// commandSpy returns a spy of a command.
func (l *Library) commandSpy(name string) (*Spy, error) {
	if l.commands == nil {
		return nil, errors.New("there are no commands to spy on")
	}
	more, end, err := l.commands.Spy(name)
	if err != nil {
		return nil, err
	}
	s := l.newSpy(luabridge.Value{})
	s.more, s.end = more, end
	return s, nil
}

// replace puts a spy, or a stub, in place of a field of a table.
func (l *Library) replace(table, key luabridge.Value, stub bool) (*Spy, error) {
	if table.Kind() != luabridge.TableKind || key.Kind() == luabridge.NilKind {
		return nil, fmt.Errorf("a table and the name of a field expected, not %s and %s", typed(table), typed(key))
	}
	old := table.Field(key)
	if !callable(old) && (!stub || old.Kind() != luabridge.NilKind) {
		return nil, fmt.Errorf("the field %s is not a function but %s", luavalue.FormatShort(key), typed(old))
	}
	s := l.newSpy(old)
	table.SetField(key, s.value)
	s.end = func() { table.SetField(key, old) }
	return s, nil
}

// metatable returns the metatable of spies.
func (l *Library) metatable() luabridge.Value {
	t := l.tool
	meta := t.Table()
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		s := l.spies[c.Arg(0).ID()]
		if s == nil {
			return nil, errors.New("the spy was made by an earlier test")
		}
		return s.called(c.From(1))
	}))
	methods := map[string]luabridge.ToolFunc{
		"clear": func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			s, err := l.spyOf(c.Arg(0))
			if err == nil {
				s.calls = nil
			}
			return []luabridge.Value{c.Arg(0)}, err
		},
		"revert": func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			s, err := l.spyOf(c.Arg(0))
			if err != nil {
				return nil, err
			}
			s.revert()
			return one(s.callback)
		},
		"called": func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			s, err := l.spyOf(c.Arg(0))
			if err != nil {
				return nil, err
			}
			n := float64(len(s.calls))
			ok := n > 0
			if c.Arg(1).Kind() == luabridge.NumberKind {
				ok = n == c.Arg(1).Number()
			}
			return []luabridge.Value{t.Bool(ok), t.Number(n)}, nil
		},
	}
	fields := t.Table()
	for name, f := range methods {
		fields.Set(name, t.Func(f))
	}
	for name, f := range l.stubMethods() {
		fields.Set(name, t.Func(f))
	}
	meta.Set("__index", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		name := c.Arg(1).Text()
		s, err := l.spyOf(c.Arg(0))
		switch {
		case err != nil:
			return nil, errors.New("the spy was made by an earlier test")
		case name == "calls":
			return one(l.callList(s))
		case name == "returnvals":
			return one(l.resultList(s))
		case s.stub != nil && slices.Contains(answering, name):
			return one(l.bound(s, name))
		}
		return one(fields.Get(name))
	}))
	meta.Set("__tostring", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		s, err := l.spyOf(c.Arg(0))
		if err != nil {
			return one(t.String("spy"))
		}
		return one(t.String(fmt.Sprintf("spy with %d calls", len(s.calls))))
	}))
	return meta
}

// callList returns the calls as luassert has them: tables with the fields vals and refs.
func (l *Library) callList(s *Spy) luabridge.Value {
	list := make([]luabridge.Value, len(s.calls))
	for i, c := range s.calls {
		list[i] = l.tool.Table()
		list[i].Set("vals", l.counted(c.args))
		list[i].Set("refs", l.counted(c.refs))
	}
	return l.tool.Table(list...)
}

func (l *Library) resultList(s *Spy) luabridge.Value {
	var list []luabridge.Value
	for _, c := range s.calls {
		if c.returned {
			v := l.tool.Table()
			v.Set("vals", l.counted(c.results))
			v.Set("refs", l.counted(c.results))
			list = append(list, v)
		}
	}
	return l.tool.Table(list...)
}

// counted returns a list with its length in the field n.
func (l *Library) counted(values []luabridge.Value) luabridge.Value {
	v := l.tool.Table(values...)
	v.Set("n", l.tool.Int(len(values)))
	return v
}

// list shows the arguments of a call.
func list(values []luabridge.Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = luavalue.FormatShort(v)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
