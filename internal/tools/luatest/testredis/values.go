package testredis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Names of the fields that mark a value, as in fixtures in JSON.
const (
	markValue  = "$value"
	markHash   = "$hash"
	markSet    = "$set"
	markZSet   = "$zset"
	markStream = "$stream"
	markTTL    = "$ttl"
)

// set is set{...}: the value of a set, in sorted order.
func (w *World) set(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	members, err := w.texts(c.Arg(0), "set")
	if err != nil {
		return nil, err
	}
	sortTexts(members)
	members = slices.CompactFunc(members, func(a, b luabridge.Value) bool { return a.Text() == b.Text() })
	return one(w.marked(markSet, w.tool.Table(members...)))
}

// list is list{...}: the value of a list.
func (w *World) list(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	elements, err := w.texts(c.Arg(0), "list")
	if err != nil {
		return nil, err
	}
	return one(w.tool.Table(elements...))
}

// hash is hash{...}: the value of a hash.
func (w *World) hash(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	h, err := w.hashOf(c.Arg(0), "hash")
	if err != nil {
		return nil, err
	}
	for _, field := range h.Fields() {
		if text := field.Key.Text(); text != "" && text[0] == '$' {
			return one(w.marked(markHash, h))
		}
	}
	return one(h)
}

// zset is zset{member = score, ...}: the value of a sorted set.
func (w *World) zset(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	if c.Arg(0).Kind() != luabridge.TableKind {
		return nil, c.BadArgument(0, "a table with the score of each member expected")
	}
	z := w.tool.Table()
	for _, f := range c.Arg(0).Fields() {
		member, ok := w.text(f.Key)
		if !ok || f.Value.Kind() != luabridge.NumberKind || math.IsNaN(f.Value.Number()) {
			return nil, c.BadArgument(0, "a table with the score of each member expected")
		}
		z.SetField(member, f.Value)
	}
	return one(w.marked(markZSet, z))
}

// stream is stream{{id = "1-1", field = value, ...}, ...}: the value of a stream.
func (w *World) stream(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	if c.Arg(0).Kind() != luabridge.TableKind {
		return nil, c.BadArgument(0, "a list of entries expected")
	}
	var entries []luabridge.Value
	for i, e := range c.Arg(0).Elements() {
		id := e.Get("id")
		if id.Kind() != luabridge.StringKind {
			return nil, fmt.Errorf("entry %d of the stream needs a field id, such as \"1-1\"", i+1)
		}
		fields := e.Get("fields")
		if fields.Kind() != luabridge.TableKind {
			fields = w.tool.Table()
			for _, f := range e.Fields() {
				if f.Key.Text() != "id" || f.Key.Kind() != luabridge.StringKind {
					fields.SetField(f.Key, f.Value)
				}
			}
		}
		fields, err := w.hashOf(fields, fmt.Sprintf("entry %d of the stream", i+1))
		if err != nil {
			return nil, err
		}
		entries = append(entries, w.entry(id.Text(), fields))
	}
	return one(w.marked(markStream, w.tool.Table(entries...)))
}

// entry returns an entry of a stream.
func (w *World) entry(id string, fields luabridge.Value) luabridge.Value {
	e := w.tool.Table()
	e.Set("id", w.tool.String(id))
	e.Set("fields", fields)
	return e
}

// ttl is ttl(time, value): a value that lives for a time, "60s" or a number of seconds.
func (w *World) ttl(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	d, err := durationOf(c.Arg(0))
	if err != nil {
		return nil, fmt.Errorf("ttl: %w", err)
	}
	if d < time.Millisecond {
		return nil, errors.New("ttl: a time of at least a millisecond expected")
	}
	v, err := w.kept(c.Arg(1))
	if err != nil {
		return nil, fmt.Errorf("ttl: %w", err)
	}
	return one(w.withTTL(v, d))
}

// kept returns the value of a key with texts in place of numbers, as Redis keeps them.
func (w *World) kept(v luabridge.Value) (luabridge.Value, error) {
	if text, ok := w.text(v); ok {
		return text, nil
	}
	switch {
	case v.Kind() != luabridge.TableKind:
		return v, fmt.Errorf("a %s is not the value of a key", v.Kind())
	case isMarked(v):
		return v, nil
	case v.Len() == len(v.Fields()):
		elements, err := w.texts(v, "list")
		return w.tool.Table(elements...), err
	}
	return w.hashOf(v, "hash")
}

// withTTL returns a value with a time to live.
func (w *World) withTTL(v luabridge.Value, d time.Duration) luabridge.Value {
	result := w.tool.Table()
	if isMarked(v) {
		for _, f := range v.Fields() {
			result.SetField(f.Key, f.Value)
		}
	} else {
		result.Set(markValue, v)
	}
	result.Set(markTTL, w.tool.String(d.Truncate(time.Millisecond).String()))
	return result
}

// isMarked reports whether a table has a field that marks its type.
func isMarked(v luabridge.Value) bool {
	if v.Kind() != luabridge.TableKind {
		return false
	}
	for _, f := range v.Fields() {
		if f.Key.Kind() == luabridge.StringKind && len(f.Key.Text()) > 0 && f.Key.Text()[0] == '$' {
			return true
		}
	}
	return false
}

func (w *World) marked(mark string, v luabridge.Value) luabridge.Value {
	t := w.tool.Table()
	t.Set(mark, v)
	return t
}

// text returns a string, number or boolean as Redis keeps it.
func (w *World) text(v luabridge.Value) (luabridge.Value, bool) {
	switch v.Kind() {
	case luabridge.StringKind:
		return v, true
	case luabridge.NumberKind:
		words, _ := luabridge.Words([]luabridge.Value{v}) // as redis.call passes it
		return w.tool.String(words[0]), true
	case luabridge.BooleanKind:
		return w.tool.String(fmt.Sprint(v.Bool())), true
	}
	return v, false
}

// texts returns the elements of a list as Redis keeps them.
func (w *World) texts(v luabridge.Value, what string) ([]luabridge.Value, error) {
	if v.Kind() != luabridge.TableKind || len(v.Fields()) != v.Len() {
		return nil, fmt.Errorf("%s needs a list of texts", what)
	}
	list := v.Elements()
	for i := range list {
		var ok bool
		if list[i], ok = w.text(list[i]); !ok {
			return nil, fmt.Errorf("%s: element %d is a %s, not a text", what, i+1, list[i].Kind())
		}
	}
	return list, nil
}

// hashOf returns a table of names and values as Redis keeps them.
func (w *World) hashOf(v luabridge.Value, what string) (luabridge.Value, error) {
	if v.Kind() != luabridge.TableKind {
		return v, fmt.Errorf("%s needs a table of names and values", what)
	}
	h := w.tool.Table()
	for _, f := range v.Fields() {
		name, ok := w.text(f.Key)
		value, ok2 := w.text(f.Value)
		if !ok || !ok2 {
			return v, fmt.Errorf("%s needs a table of names and values that are texts", what)
		}
		h.SetField(name, value)
	}
	return h, nil
}

func sortTexts(list []luabridge.Value) {
	slices.SortFunc(list, func(a, b luabridge.Value) int { return cmp.Compare(a.Text(), b.Text()) })
}

// maxNested is the largest number of levels of tables in a fixture.
const maxNested = 16

// plain returns a Lua value as encoding/json would decode it: a table is a list if its keys are the
// numbers from 1, and an object otherwise.
func plain(v luabridge.Value, depth int) (any, error) {
	switch v.Kind() {
	case luabridge.StringKind:
		return v.Text(), nil
	case luabridge.NumberKind:
		words, _ := luabridge.Words([]luabridge.Value{v})
		return json.Number(words[0]), nil
	case luabridge.BooleanKind:
		return v.Bool(), nil
	case luabridge.TableKind:
	default:
		return nil, fmt.Errorf("a %s has no place in a fixture", v.Kind())
	}
	if depth > maxNested {
		return nil, errors.New("the tables are nested too deeply")
	}
	fields := v.Fields()
	if n := v.Len(); n == len(fields) && n > 0 {
		list := make([]any, n)
		for i, e := range v.Elements() {
			var err error
			if list[i], err = plain(e, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	object := make(map[string]any, len(fields))
	for _, f := range fields {
		if k := f.Key.Kind(); k != luabridge.StringKind && k != luabridge.NumberKind {
			return nil, fmt.Errorf("a %s cannot be a name in a fixture", k)
		}
		var err error
		if object[f.Key.Text()], err = plain(f.Value, depth+1); err != nil {
			return nil, err
		}
	}
	return object, nil
}
