package testredis

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/luatest/assert"
	"github.com/redmoon-lua/redmoon/internal/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/internal/textdiff"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// Keyspace is a copy of a database.
type Keyspace map[string]Key

// Key is a key with its value.
type Key struct {
	Type  string
	Value reply.Value   // as [engine.Key].Value returns it; sets and hashes in sorted order
	TTL   time.Duration // in whole milliseconds; 0: none
}

// keyspaceOf copies the selected database.
func (env *Env) keyspaceOf() (Keyspace, error) {
	if env.remote != nil {
		return env.readKeyspace()
	}
	if err := env.open(); err != nil {
		return nil, err
	}
	all := Keyspace{}
	err := env.engine.View(context.Background(), func(k engine.Keyspace) error {
		now := time.UnixMilli(env.clock.Now().UnixMilli())
		for key := range k.Keys(env.db) {
			entry := Key{Type: key.Type(), Value: sorted(key.Type(), key.Value())}
			if at := key.ExpireAt(); !at.IsZero() {
				entry.TTL = at.Sub(now)
			}
			all[key.Name()] = entry
		}
		return nil
	})
	return all, err
}

func compareTexts(a, b reply.Value) int { return strings.Compare(a.Text(), b.Text()) }

// sorted orders what has no order, and makes plain doubles of scores.
func sorted(typ string, v reply.Value) reply.Value {
	list := slices.Clone(v.Slice())
	switch typ {
	case "set":
		slices.SortFunc(list, func(a, b reply.Value) int { return compareTexts(a, b) })
		return reply.Set(list...)
	case "hash":
		pairs := make([][2]reply.Value, 0, len(list)/2)
		for i := 0; i+1 < len(list); i += 2 {
			pairs = append(pairs, [2]reply.Value{list[i], list[i+1]})
		}
		slices.SortFunc(pairs, func(a, b [2]reply.Value) int { return compareTexts(a[0], b[0]) })
		list = list[:0]
		for _, p := range pairs {
			list = append(list, p[0], p[1])
		}
		return reply.Map(list...)
	case "zset":
		for i := 1; i < len(list); i += 2 {
			list[i] = reply.Double(list[i].MustFloat())
		}
		return reply.Map(list...)
	}
	return v
}

// readKeyspace copies the selected database of a server by commands.
func (env *Env) readKeyspace() (Keyspace, error) {
	keys, err := env.own("KEYS", "*")
	if err != nil {
		return nil, err
	}
	all := Keyspace{}
	for _, name := range keys.Strings() {
		k, ok, err := env.readKey(name)
		if err != nil {
			return nil, err
		}
		if ok {
			all[name] = k
		}
	}
	return all, nil
}

// readKey reads a key of a server. ok is false if it has expired meanwhile.
func (env *Env) readKey(name string) (k Key, ok bool, err error) {
	typ, err := env.own("TYPE", name)
	if err != nil {
		return k, false, err
	}
	k.Type = typ.Text()
	command := map[string][]string{
		"string": {"GET", name}, "list": {"LRANGE", name, "0", "-1"}, "set": {"SMEMBERS", name}, "hash": {"HGETALL", name},
		"zset": {"ZRANGE", name, "0", "-1", "WITHSCORES"}, "stream": {"XRANGE", name, "-", "+"},
	}[k.Type]
	if command == nil {
		return k, false, nil
	}
	if k.Value, err = env.own(command...); err != nil {
		return k, false, err
	}
	switch {
	case k.Value.IsError():
		return k, false, errors.New(k.Value.Text())
	case k.Type == "zset":
		if k.Value, err = scores(k.Value); err != nil {
			return k, false, err
		}
	}
	k.Value = sorted(k.Type, k.Value)
	ttl, err := env.own("PTTL", name)
	if err != nil {
		return k, false, err
	}
	left, err := ttl.Int()
	if left > 0 {
		k.TTL = time.Duration(left) * time.Millisecond
	}
	return k, left != -2, err
}

// scores returns the members and scores of a sorted set as a map.
func scores(v reply.Value) (reply.Value, error) {
	list := slices.Clone(v.Slice())
	for i := 1; i < len(list); i += 2 {
		f, err := strconv.ParseFloat(list[i].Text(), 64)
		if err != nil {
			return v, err
		}
		list[i] = reply.Double(f)
	}
	return reply.Map(list...), nil
}

// luaKey returns a key as fixture takes it.
func (w *World) luaKey(k Key) luabridge.Value {
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
	if k.TTL > 0 {
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
func (w *World) lua(all Keyspace) luabridge.Value {
	t := w.tool.Table()
	for _, name := range slices.Sorted(maps.Keys(all)) {
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
	for _, name := range changed(env.before, now) {
		change := t.Table()
		if k, ok := env.before[name]; ok {
			change.Set("before", w.luaKey(k))
		}
		if k, ok := now[name]; ok {
			change.Set("after", w.luaKey(k))
		}
		result.Set(name, change)
	}
	env.before = now
	return one(result)
}

// changed returns the names of the keys that differ, sorted.
func changed(before, after Keyspace) []string {
	names := map[string]bool{}
	for name, k := range before {
		if other, ok := after[name]; !ok || !k.equal(other) {
			names[name] = true
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (k Key) equal(other Key) bool {
	return k.Type == other.Type && k.TTL == other.TTL && k.Value.Equal(other.Value)
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
	for _, name := range changed(nil, now) {
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
