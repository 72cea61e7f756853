package luatest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// installWords adds the words of busted to the globals.
func (f *File) installWords() {
	t, g := f.tool, f.tool.Globals()
	for _, name := range []string{"describe", "context", "expose"} {
		g.Set(name, t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, f.describe(c, name, false) }))
	}
	g.Set("insulate", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, f.describe(c, "insulate", true) }))
	for _, name := range []string{"it", "test", "spec"} {
		g.Set(name, t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, f.it(c, name) }))
	}
	g.Set("property", t.Func(f.propertyWord))
	g.Set("pending", t.Func(f.pendingWord))
	for kind, names := range map[hook][]string{
		setup: {"setup", "lazy_setup", "strict_setup"}, teardown: {"teardown", "lazy_teardown", "strict_teardown"},
		beforeEach: {"before_each"}, afterEach: {"after_each"},
	} {
		for _, name := range names {
			g.Set(name, t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, f.addHook(c, name, kind) }))
		}
	}
	g.Set("finally", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		if f.running == nil || f.running.phase != "test" {
			return nil, errors.New("finally works in a test")
		}
		if c.Arg(0).Kind() != luabridge.FunctionKind {
			return nil, c.BadArgument(0, "function expected")
		}
		f.running.finally = append(f.running.finally, c.Arg(0))
		return nil, nil
	}))
	g.Set("server", t.Func(f.server))
	f.pending = t.Table()
	meta := t.Table()
	meta.Set("__tostring", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		return []luabridge.Value{t.String("pending")}, nil
	}))
	f.pending.SetMetatable(meta)
}

// builds returns the block whose function runs, for a word that stands in one.
func (f *File) builds(word string) (*block, error) {
	if f.building == nil {
		return nil, fmt.Errorf("%s does not work inside a test or a hook", word)
	}
	return f.building, nil
}

// named reads the name of a block or test.
func named(c *luabridge.ToolCall, fn bool) (name string, err error) {
	if k := c.Arg(0).Kind(); k != luabridge.StringKind && k != luabridge.NumberKind {
		return "", c.BadArgument(0, "name expected")
	}
	if fn && c.Arg(1).Kind() != luabridge.FunctionKind {
		return "", c.BadArgument(1, "function expected")
	}
	return c.Arg(0).Text(), nil
}

// lineOf returns the line of the test file that makes a call.
func (f *File) lineOf(c *luabridge.ToolCall) int {
	for _, l := range c.Trace() {
		if l.Chunk == f.Path {
			return l.Line
		}
	}
	return 0
}

// describe adds a block, and runs its function, which adds what is in it.
func (f *File) describe(c *luabridge.ToolCall, word string, insulated bool) error {
	parent, err := f.builds(word)
	if err != nil {
		return err
	}
	if insulated && len(c.Args) == 1 && c.Arg(0).Kind() == luabridge.FunctionKind { // the name may be missing
		c.Args = []luabridge.Value{f.tool.String("insulate"), c.Arg(0)}
	}
	name, err := named(c, true)
	if err != nil {
		return err
	}
	b := &block{name: name, line: f.lineOf(c), parent: parent, insulated: insulated, settings: parent.settings}
	parent.children = append(parent.children, node{block: b})
	before := f.globals()
	modules := f.loaded.Fields()
	f.building = b
	_, failure := f.tool.Call(c.Arg(1))
	f.building = parent
	if insulated {
		restore(f.loaded, modules)
	}
	b.globals = changed(before, f.globals())
	restore(f.tool.Globals(), before)
	if failure != nil {
		b.broken = f.problem("describe", failure)
	}
	return nil
}

// it adds a test. Without a function it is pending.
func (f *File) it(c *luabridge.ToolCall, word string) error {
	b, err := f.builds(word)
	if err != nil {
		return err
	}
	name, err := named(c, c.Arg(1).Kind() != luabridge.NilKind)
	if err != nil {
		return err
	}
	t := &test{name: name, line: f.lineOf(c), block: b, fn: c.Arg(1)}
	if c.Arg(1).Kind() == luabridge.NilKind {
		t.pending, t.reason = true, "it has no function"
	}
	b.children = append(b.children, node{test: t})
	return nil
}

// pendingWord is pending(name [, function]), which adds a pending test, and in a test
// pending(reason), which ends it.
func (f *File) pendingWord(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	if f.running != nil {
		f.running.reason = ""
		if v := c.Arg(0); v.Kind() == luabridge.StringKind {
			f.running.reason = v.Text()
		}
		return nil, luabridge.Raise(f.pending, "pending")
	}
	b, err := f.builds("pending")
	if err != nil {
		return nil, err
	}
	name, err := named(c, false)
	if err == nil {
		b.children = append(b.children, node{test: &test{name: name, line: f.lineOf(c), block: b, pending: true}})
	}
	return nil, err
}

func (f *File) addHook(c *luabridge.ToolCall, word string, kind hook) error {
	b, err := f.builds(word)
	if err != nil {
		return err
	}
	if c.Arg(0).Kind() != luabridge.FunctionKind {
		return c.BadArgument(0, "function expected")
	}
	b.hooks[kind] = append(b.hooks[kind], c.Arg(0))
	return nil
}

// serverFields are the fields of server{...}.
var serverFields = []string{"server", "cluster", "one_slot", "rollback", "config"}

// server is server{...}: the properties of the engines of the tests in the block.
func (f *File) server(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	b, err := f.builds("server")
	if err != nil {
		return nil, err
	}
	if c.Arg(0).Kind() != luabridge.TableKind {
		return nil, c.BadArgument(0, "table expected")
	}
	for _, field := range c.Arg(0).Fields() {
		if name := field.Key.Text(); name != "compat" && !slices.Contains(serverFields, name) { // compat: the older name of server
			return nil, fmt.Errorf("server has no field %s; it has %s", field.Key.Text(), strings.Join(serverFields, ", "))
		}
		if err := set(&b.settings, field.Key.Text(), field.Value); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// set sets a property of engines.
func set(s *testredis.Settings, name string, v luabridge.Value) error {
	switch name {
	case "server", "compat":
		if _, ok := engine.CommandsOf(v.Text()); !ok {
			return fmt.Errorf("server: %s must be one of %s", name, engine.ServerNames())
		}
		s.Server = v.Text()
		return nil
	case "config":
		if v.Kind() != luabridge.TableKind {
			return errors.New("server: config must be a table of parameters")
		}
		config := map[string]string{}
		for k, old := range s.Config {
			config[k] = old
		}
		for _, field := range v.Fields() {
			config[field.Key.Text()] = field.Value.Text()
		}
		s.Config = config
		return nil
	}
	if v.Kind() != luabridge.BooleanKind {
		return fmt.Errorf("server: %s must be true or false", name)
	}
	*map[string]*bool{"cluster": &s.Cluster, "one_slot": &s.OneSlot, "rollback": &s.Rollback}[name] = v.Bool()
	return nil
}

// globals returns the globals.
func (f *File) globals() []luabridge.Field { return f.tool.Globals().Fields() }

// changed returns the fields of after that are new or differ from before.
func changed(before, after []luabridge.Field) (list []luabridge.Field) {
	old := make(map[luabridge.Value]luabridge.Value, len(before))
	for _, field := range before {
		old[field.Key] = field.Value
	}
	for _, field := range after {
		if v, ok := old[field.Key]; !ok || v != field.Value {
			list = append(list, field)
		}
	}
	return list
}

// restore sets the fields of a table back.
func restore(table luabridge.Value, to []luabridge.Field) {
	for _, field := range changed(to, table.Fields()) {
		table.SetField(field.Key, luabridge.Value{})
	}
	for _, field := range to {
		if table.Field(field.Key) != field.Value {
			table.SetField(field.Key, field.Value)
		}
	}
}
