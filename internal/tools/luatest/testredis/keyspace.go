package testredis

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// keyspaceOf copies the selected database.
func (env *Env) keyspaceOf() (all harness.Keyspace, err error) {
	if env.remote != nil {
		return harness.Read(env.own)
	}
	if err := env.open(); err != nil {
		return nil, err
	}
	err = env.engine.View(context.Background(), func(k engine.Keyspace) error {
		all = harness.Copy(k, env.db)
		return nil
	})
	return all, err
}

// luaKey returns a key as fixture takes it.
func (w *World) luaKey(k harness.Key) luabridge.Value {
	t := w.tool
	list := k.Value.Slice()
	var v luabridge.Value
	switch k.Type {
	case "string":
		v = t.String(k.Value.Text())
	case "list", "set":
		elements := make([]luabridge.Value, len(list))
		for i := range list {
			elements[i] = t.String(list[i].Text())
		}
		if v = t.Table(elements...); k.Type == "set" {
			v = w.marked(markSet, v)
		}
	case "hash":
		v = w.luaHash(list)
		if isMarked(v) {
			v = w.marked(markHash, v)
		}
	case "zset":
		z := t.Table()
		for i := 0; i+1 < len(list); i += 2 {
			z.Set(list[i].Text(), t.Number(list[i+1].MustFloat()))
		}
		v = w.marked(markZSet, z)
	case "stream":
		entries := make([]luabridge.Value, len(list))
		for i, e := range list {
			entries[i] = w.entry(e.Slice()[0].Text(), w.luaHash(e.Slice()[1].Slice()))
		}
		v = w.marked(markStream, t.Table(entries...))
	}
	if k.Expires {
		v = w.withTTL(v, k.TTL)
	}
	return v
}

// luaHash returns names and values as a table.
func (w *World) luaHash(list []reply.Value) luabridge.Value {
	h := w.tool.Table()
	for i := 0; i+1 < len(list); i += 2 {
		h.Set(list[i].Text(), w.tool.String(list[i+1].Text()))
	}
	return h
}

// lua returns a keyspace as a table.
func (w *World) lua(all harness.Keyspace) luabridge.Value {
	t := w.tool.Table()
	for _, name := range all.Names() {
		t.Set(name, w.luaKey(all[name]))
	}
	return t
}

// keyspace is keyspace(): all keys of the selected database, as fixture takes them.
func (w *World) keyspace(*luabridge.ToolCall) ([]luabridge.Value, error) {
	env, err := w.current()
	if err != nil {
		return nil, err
	}
	all, err := env.keyspaceOf()
	if err != nil {
		return nil, err
	}
	return one(w.lua(all))
}

// diff is diff(): the keys that differ since the test began or since the last diff, each with its
// value before and after.
func (w *World) diff(*luabridge.ToolCall) ([]luabridge.Value, error) {
	env, err := w.current()
	if err != nil {
		return nil, err
	}
	now, err := env.keyspaceOf()
	if err != nil {
		return nil, err
	}
	t := w.tool
	result := t.Table()
	for _, c := range env.before.Changes(now) {
		change := t.Table()
		if c.Had {
			change.Set("before", w.luaKey(c.Before))
		}
		if c.Has {
			change.Set("after", w.luaKey(c.After))
		}
		result.Set(c.Name, change)
	}
	env.before = now
	return one(result)
}

// Changes returns the keys that the test has changed so far, as text, a line for each; it does not
// count as a diff.
func (env *Env) Changes() []textdiff.Line {
	if env.engine == nil {
		return nil
	}
	now, err := env.keyspaceOf()
	if err != nil {
		return nil
	}
	var lines []textdiff.Line
	for _, name := range now.Names() {
		lines = append(lines, textdiff.Line{Mark: ' ', Text: name + " = " + luavalue.FormatShort(env.w.luaKey(now[name]))})
	}
	return lines
}

// assertKeyspace is assert.keyspace{...}: the keys are exactly those of a table as fixture takes
// it.
func (w *World) assertKeyspace(c *luabridge.ToolCall, args []luabridge.Value) (*assert.Failure, error) {
	if args[0].Kind() != luabridge.TableKind {
		return nil, errors.New("assert.keyspace needs a table of keys")
	}
	env, err := w.current()
	if err != nil {
		return nil, err
	}
	found, err := env.keyspaceOf()
	if err != nil {
		return nil, err
	}
	expected := w.tool.Table()
	for _, f := range args[0].Fields() {
		v, err := w.kept(f.Value)
		if err != nil {
			return nil, err
		}
		expected.SetField(f.Key, v)
	}
	actual := w.lua(found)
	same, err := luavalue.Equal(expected, actual)
	if same || err != nil {
		return nil, err
	}
	return &assert.Failure{Message: "the keyspace is not as expected:", Diff: luavalue.Diff(expected, actual)}, nil
}
