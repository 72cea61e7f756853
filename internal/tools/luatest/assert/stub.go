package assert

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// answers is what a stub returns: the first rule whose arguments match decides, else the default.
type answers struct {
	lib    *Library
	rules  []rule
	always *rule // of stub.returns and stub.invokes
	other  *rule // of stub.by_default
}

// rule is what a stub does.
type rule struct {
	args    []luabridge.Value // of stub.on_call_with
	values  []luabridge.Value
	invokes luabridge.Value // nil: it returns values
}

func (a *answers) answer(args []luabridge.Value) ([]luabridge.Value, error) {
	for i := len(a.rules) - 1; i >= 0; i-- {
		ok, err := a.lib.matchArgs(a.rules[i].args, args)
		if err != nil {
			return nil, err
		}
		if ok {
			return a.do(&a.rules[i], args)
		}
	}
	if a.always != nil {
		return a.do(a.always, args)
	}
	return a.do(a.other, args)
}

func (a *answers) do(r *rule, args []luabridge.Value) ([]luabridge.Value, error) {
	switch {
	case r == nil:
		return nil, nil
	case r.invokes.Kind() != luabridge.NilKind:
		return a.lib.tool.Call(r.invokes, args...)
	}
	return r.values, nil
}

// ruleOf returns what the arguments of stub say: a function is called, anything else is returned.
func ruleOf(values []luabridge.Value) *rule {
	if len(values) == 1 && callable(values[0]) {
		return &rule{invokes: values[0]}
	}
	return &rule{values: values}
}

// stubModule returns the global stub: stub(table, name [, values ...]), stub("GET" [, reply]).
func (l *Library) stubModule() luabridge.Value {
	t := l.tool
	m, meta := t.Table(), t.Table()
	m.Set("new", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return l.newStub(c.Args) }))
	m.Set("is_stub", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		s := l.spies[c.Arg(0).ID()]
		return one(t.Bool(s != nil && s.stub != nil))
	}))
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return l.newStub(c.From(1)) }))
	m.SetMetatable(meta)
	return m
}

func (l *Library) newStub(args []luabridge.Value) ([]luabridge.Value, error) {
	if len(args) == 0 {
		return nil, errors.New("stub needs a table and the name of a field, or the name of a command")
	}
	if args[0].Kind() == luabridge.StringKind {
		return spyValue(l.commandStub(args[0].Text(), args[1:]))
	}
	if len(args) < 2 {
		return nil, errors.New("stub needs a table and the name of a field, or the name of a command")
	}
	s, err := l.replace(args[0], args[1], true)
	if err != nil {
		return nil, err
	}
	s.stub = &answers{lib: l, other: ruleOf(args[2:])}
	return one(s.value)
}

// commandStub returns a stub of a command.
func (l *Library) commandStub(name string, values []luabridge.Value) (*Spy, error) {
	if l.commands == nil {
		return nil, errors.New("there are no commands to stub")
	}
	s := l.newSpy(luabridge.Value{})
	s.stub = &answers{lib: l, other: ruleOf(values)}
	end, err := l.commands.Stub(name, func(args []luabridge.Value) (luabridge.Value, error) {
		results, err := s.called(args)
		if err != nil || len(results) == 0 {
			return luabridge.Value{}, err
		}
		return results[0], nil
	})
	s.end = end
	return s, err
}

// answering are the fields of a stub that say what it returns.
var answering = []string{"returns", "invokes", "by_default", "on_call_with"}

// bound returns such a field. The functions can be called with a dot or a colon.
func (l *Library) bound(s *Spy, name string) luabridge.Value {
	t := l.tool
	set := func(put func(*rule)) luabridge.Value {
		o := t.Table()
		o.Set("returns", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			put(&rule{values: l.withoutSelf(c.Args, s.value, o)})
			return one(s.value)
		}))
		o.Set("invokes", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			args := l.withoutSelf(c.Args, s.value, o)
			if len(args) == 0 || !callable(args[0]) {
				return nil, errors.New("invokes needs a function")
			}
			put(&rule{invokes: args[0]})
			return one(s.value)
		}))
		return o
	}
	switch name {
	case "by_default":
		return set(func(r *rule) { s.stub.other = r })
	case "on_call_with":
		return t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			args := l.copies(l.withoutSelf(c.Args, s.value, s.value))
			return one(set(func(r *rule) {
				r.args = args
				s.stub.rules = append(s.stub.rules, *r)
			}))
		})
	}
	return set(func(r *rule) { s.stub.always = r }).Get(name)
}

// withoutSelf drops the object of a call with a colon.
func (l *Library) withoutSelf(args []luabridge.Value, self ...luabridge.Value) []luabridge.Value {
	for _, v := range self {
		if len(args) > 0 && args[0] == v {
			return args[1:]
		}
	}
	return args
}

// stubMethods returns the methods that only stubs have, for spies.
func (l *Library) stubMethods() map[string]luabridge.ToolFunc {
	missing := func(name string) luabridge.ToolFunc {
		return func(*luabridge.ToolCall) ([]luabridge.Value, error) {
			return nil, fmt.Errorf("%s is for stubs; a spy calls the original", name)
		}
	}
	methods := map[string]luabridge.ToolFunc{}
	for _, name := range answering {
		methods[name] = missing(name)
	}
	return methods
}

// mockModule returns the global mock: mock(table [, stub]) replaces all functions of a table, and
// of the tables in it, by spies or stubs.
func (l *Library) mockModule() luabridge.Value {
	t := l.tool
	m, meta := t.Table(), t.Table()
	each := func(v luabridge.Value, f func(*Spy)) {
		l.everyField(v, map[uintptr]bool{}, func(_, _, value luabridge.Value) {
			if s := l.spies[value.ID()]; s != nil {
				f(s)
			}
		})
	}
	replace := func(v luabridge.Value, stub bool) ([]luabridge.Value, error) {
		if v.Kind() != luabridge.TableKind {
			return nil, fmt.Errorf("mock needs a table, not %s", typed(v))
		}
		var problem error
		l.everyField(v, map[uintptr]bool{}, func(table, key, value luabridge.Value) {
			if problem != nil || !callable(value) || l.spies[value.ID()] != nil {
				return
			}
			s, err := l.replace(table, key, stub)
			if err != nil {
				problem = err
			} else if stub {
				s.stub = &answers{lib: l}
			}
		})
		return []luabridge.Value{v}, problem
	}
	m.Set("new", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return replace(c.Arg(0), c.Arg(1).Truth()) }))
	m.Set("clear", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		each(c.Arg(0), func(s *Spy) { s.calls = nil })
		return c.Args, nil
	}))
	m.Set("revert", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		each(c.Arg(0), (*Spy).revert)
		return c.Args, nil
	}))
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return replace(c.Arg(1), c.Arg(2).Truth()) }))
	m.SetMetatable(meta)
	return m
}

// everyField calls f for the fields of a table and of the tables in it, except spies.
func (l *Library) everyField(table luabridge.Value, seen map[uintptr]bool, f func(table, key, value luabridge.Value)) {
	if seen[table.ID()] || len(seen) > maxMocked {
		return
	}
	seen[table.ID()] = true
	for _, field := range table.Fields() {
		f(table, field.Key, field.Value)
		if field.Value.Kind() == luabridge.TableKind && l.spies[field.Value.ID()] == nil {
			l.everyField(field.Value, seen, f)
		}
	}
}

// maxMocked is the largest number of tables that mock visits.
const maxMocked = 1000
