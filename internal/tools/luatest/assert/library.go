package assert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Library is the assertions of one tool.
type Library struct {
	// Lenient makes assertions that do not hold return as if they did, unless the test catches their
	// errors.
	Lenient bool

	tool       *luabridge.Tool
	assertions map[string]assertion
	modifiers  map[string]modifier
	failures   map[uintptr]raised
	spies      map[uintptr]*Spy
	matchers   map[uintptr]matcher
	reverts    []*Spy // in the order in which they were made
	any        luabridge.Value
	find       luabridge.Value // string.find
	match      luabridge.Value // string.match
	spyMeta    luabridge.Value
	commands   Commands
}

// assertion checks its arguments.
type assertion struct {
	least   int // number of arguments that it needs
	run     func(s *state) (outcome, error)
	subject int // index of the argument that a matcher puts its value at
}

// outcome is what an assertion has found.
type outcome struct {
	ok      bool
	values  []luabridge.Value // what the assertion returns if it holds; nil: its arguments
	failure func(not bool) Failure
}

// modifier changes the assertion that follows in the chain.
type modifier struct {
	run       func(s *state) error // for a modifier without arguments; nil: nothing
	arguments func(s *state) error // for a modifier that is called, such as spy; nil: it cannot be
}

// state is a chain that is being called.
type state struct {
	lib     *Library
	call    *luabridge.ToolCall
	args    []luabridge.Value
	not     bool
	note    string          // text of the modifier message, or of the last argument
	payload luabridge.Value // argument of the modifiers spy, stub and array
	of      string          // "spy", "stub" or "array"
}

// arg returns argument i, from 0.
func (s *state) arg(i int) luabridge.Value {
	if i < len(s.args) {
		return s.args[i]
	}
	return luabridge.Value{}
}

// Install adds assert, spy, stub, mock and match to the globals of a tool. commands makes spies and
// stubs of commands of Redis; nil: there are none.
func Install(t *luabridge.Tool, commands Commands) *Library {
	l := &Library{tool: t, assertions: map[string]assertion{}, modifiers: map[string]modifier{}, spies: map[uintptr]*Spy{}, commands: commands}
	strings := t.Globals().Get("string")
	l.find, l.match = strings.Get("find"), strings.Get("match")
	l.Reset()
	l.addModifiers()
	l.addBasics()
	l.addErrors()
	l.addSpies()
	g := t.Globals()
	g.Set("assert", l.object())
	g.Set("spy", l.spyModule())
	g.Set("stub", l.stubModule())
	g.Set("mock", l.mockModule())
	g.Set("match", l.matchModule())
	return l
}

// Reset forgets the failures and matchers of the last test.
func (l *Library) Reset() {
	l.failures, l.matchers = map[uintptr]raised{}, map[uintptr]matcher{}
}

// Assertion is an assertion of another package.
type Assertion struct {
	Least int // number of arguments that it needs
	// Check returns the failure if the assertion does not hold, or nil.
	Check    func(c *luabridge.ToolCall, args []luabridge.Value) (*Failure, error)
	Positive bool // it cannot be negated, because Check changes something
}

// Add adds an assertion.
func (l *Library) Add(name string, a Assertion) {
	l.assertions[name] = assertion{least: a.Least, run: func(s *state) (outcome, error) {
		if s.not && a.Positive {
			return outcome{}, fmt.Errorf("assert.%s cannot be negated", name)
		}
		f, err := a.Check(s.call, s.args)
		return outcome{ok: f == nil, failure: func(not bool) Failure {
			if not {
				return Failure{Message: "assert." + name + " holds"}
			}
			return *f
		}}, err
	}}
}

// object returns the global assert.
func (l *Library) object() luabridge.Value {
	t := l.tool
	o, meta := t.Table(), t.Table()
	o.Set("register", t.Func(l.register))
	o.Set("unregister", t.Func(l.unregister))
	o.Set("snapshot", t.Func(l.snapshot))
	meta.Set("__call", t.Func(l.plain))
	meta.Set("__index", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(l.chain(&state{lib: l}, words(c.Arg(1).Text())))
	}))
	o.SetMetatable(meta)
	return o
}

func one(v luabridge.Value) ([]luabridge.Value, error) { return []luabridge.Value{v}, nil }

// words cuts a name into its words.
func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' })
}

// plain is assert(value [, message ...]).
func (l *Library) plain(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	args := c.From(1)
	if len(args) == 0 {
		return nil, c.BadArgument(0, "value expected")
	}
	if args[0].Truth() || l.Lenient && !c.Caught() {
		return args, nil
	}
	switch message := c.Arg(2); message.Kind() {
	case luabridge.NilKind:
		return nil, l.raise(c, Failure{Message: "assertion failed!"})
	case luabridge.StringKind, luabridge.NumberKind:
		return nil, l.raise(c, Failure{Message: message.Text()})
	default:
		return nil, luabridge.Raise(message, l.text(message))
	}
}

// chain returns a value whose fields are longer chains, and whose call runs the chain.
func (l *Library) chain(before *state, chain []string) luabridge.Value {
	t := l.tool
	o, meta := t.Table(), t.Table()
	meta.Set("__index", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		return one(l.chain(before, slices.Concat(chain, words(c.Arg(1).Text()))))
	}))
	meta.Set("__call", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		s := *before
		s.call, s.args = c, c.From(1)
		return l.run(&s, chain)
	}))
	o.SetMetatable(meta)
	return o
}

// parse joins the words of a chain to modifiers and the name of an assertion, the last one; "" if
// it has none.
func (l *Library) parse(chain []string) (modifiers []string, name string, err error) {
	for len(chain) > 0 {
		n := len(chain)
		for ; n > 0; n-- {
			word := strings.Join(chain[:n], "_")
			if _, ok := l.assertions[word]; ok {
				name = word
				break
			}
			if _, ok := l.modifiers[word]; ok {
				modifiers = append(modifiers, word)
				break
			}
		}
		if n == 0 {
			return nil, "", fmt.Errorf("assert has no assertion or modifier %q", strings.Join(chain, "_"))
		}
		chain = chain[n:]
	}
	return modifiers, name, nil
}

// run runs a chain that is called.
func (l *Library) run(s *state, chain []string) ([]luabridge.Value, error) {
	modifiers, name, err := l.parse(chain)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return l.modify(s, modifiers)
	}
	for _, m := range modifiers {
		if run := l.modifiers[m].run; run != nil {
			if err := run(s); err != nil {
				return nil, err
			}
		}
	}
	a := l.assertions[name]
	if len(s.args) < a.least {
		return nil, fmt.Errorf("assert.%s needs at least %d arguments, got %d", name, a.least, len(s.args))
	}
	out, err := a.run(s)
	switch {
	case err != nil:
		return nil, err
	case out.ok == s.not && !(l.Lenient && !s.call.Caught()):
		f := out.failure(s.not)
		f.Note = s.note
		return nil, l.raise(s.call, f)
	case out.values != nil:
		return out.values, nil
	}
	return s.args, nil
}

// modify returns the chain after a call of a modifier with arguments.
func (l *Library) modify(s *state, modifiers []string) ([]luabridge.Value, error) {
	called := false
	for _, m := range modifiers {
		mod := l.modifiers[m]
		if mod.run != nil {
			if err := mod.run(s); err != nil {
				return nil, err
			}
		}
		if mod.arguments != nil {
			called = true
			if err := mod.arguments(s); err != nil {
				return nil, err
			}
		}
	}
	if !called {
		return nil, fmt.Errorf("assert.%s is a modifier: an assertion must follow", strings.Join(modifiers, "."))
	}
	next := *s
	next.call, next.args = nil, nil
	return one(l.chain(&next, nil))
}

func (l *Library) addModifiers() {
	for _, name := range []string{"is", "are", "was", "were", "has", "have", "does", "do", "be", "been", "to", "a", "an"} {
		l.modifiers[name] = modifier{}
	}
	not := modifier{run: func(s *state) error {
		s.not = !s.not
		return nil
	}}
	l.modifiers["not"], l.modifiers["no"] = not, not
	l.modifiers["message"] = modifier{arguments: func(s *state) error {
		s.note = l.text(s.arg(0))
		return nil
	}}
	for _, of := range []string{"spy", "stub", "array"} {
		l.modifiers[of] = modifier{arguments: func(s *state) error {
			s.of, s.payload = of, s.arg(0)
			return nil
		}}
	}
}

// text returns a value as tostring writes it.
func (l *Library) text(v luabridge.Value) string {
	if fn := v.Metamethod("__tostring"); fn.Kind() != luabridge.NilKind && v.Kind() == luabridge.TableKind {
		if results, err := l.tool.Call(fn, v); err == nil && len(results) > 0 {
			return results[0].Text()
		}
	}
	return plainText(v)
}
