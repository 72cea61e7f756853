package luatest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/choices"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// generator makes a random value of the choices of a source. Zeros give its simplest value.
type generator func(s *choices.Source) (luabridge.Value, error)

// errRejected is the error of a generator that finds no value that its filter accepts.
var errRejected = errors.New("gen.filter has refused 100 values in a row")

// generators are the generators of a file. In Lua one is a table with the field __gen in its
// metatable: its number, from 1.
type generators struct {
	f    *File
	list []generator
}

// installGenerators adds the global gen.
func (f *File) installGenerators() {
	f.gens = &generators{f: f}
	t := f.tool
	gen := t.Table()
	for name, make := range map[string]func(c *luabridge.ToolCall) (generator, error){
		"integer": f.gens.integer, "number": f.gens.number, "boolean": f.gens.boolean, "string": f.gens.text, "arg": f.gens.arg,
		"key": f.gens.key, "oneof": f.gens.oneof, "list": f.gens.listOf, "record": f.gens.record, "keyspace": f.gens.keyspace,
		"map": f.gens.mapped, "filter": f.gens.filtered,
	} {
		gen.Set(name, t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			g, err := make(c)
			if err != nil {
				return nil, err
			}
			return []luabridge.Value{f.gens.value(g, "gen."+name)}, nil
		}))
	}
	t.Globals().Set("gen", gen)
}

// value returns a generator as a Lua value.
func (gs *generators) value(g generator, name string) luabridge.Value {
	t := gs.f.tool
	gs.list = append(gs.list, g)
	v, meta := t.Table(), t.Table()
	meta.Set("__gen", t.Int(len(gs.list)))
	meta.Set("__tostring", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) { return []luabridge.Value{t.String(name)}, nil }))
	v.SetMetatable(meta)
	return v
}

// of returns the generator of a Lua value.
func (gs *generators) of(v luabridge.Value) (generator, bool) {
	if v.Kind() != luabridge.TableKind {
		return nil, false
	}
	n := int(v.Metamethod("__gen").Number())
	if n < 1 || n > len(gs.list) {
		return nil, false
	}
	return gs.list[n-1], true
}

// orValue returns the generator of a Lua value, or one that always gives v.
func (gs *generators) orValue(v luabridge.Value) generator {
	if g, ok := gs.of(v); ok {
		return g
	}
	return func(*choices.Source) (luabridge.Value, error) { return v, nil }
}

// needed returns the generator in argument i.
func (gs *generators) needed(c *luabridge.ToolCall, i int) (generator, error) {
	g, ok := gs.of(c.Arg(i))
	if !ok {
		return nil, c.BadArgument(i, "a generator expected, such as gen.integer()")
	}
	return g, nil
}

// The largest integers that numbers hold exactly, and the bounds of gen.integer by default.
const (
	maxInteger  = 1 << 53
	usualBounds = 1000
)

// bounds reads the optional bounds in arguments i and i+1.
func bounds(c *luabridge.ToolCall, i int, low, high, most int64) (int64, int64, error) {
	for k, to := range []*int64{&low, &high} {
		switch v := c.Arg(i + k); v.Kind() {
		case luabridge.NilKind:
		case luabridge.NumberKind:
			n := v.Number()
			if n != math.Trunc(n) || math.Abs(n) > float64(most) {
				return 0, 0, c.BadArgument(i+k, fmt.Sprintf("an integer of at most %d expected", most))
			}
			*to = int64(n)
		default:
			return 0, 0, c.BadArgument(i+k, "number expected")
		}
	}
	if low > high {
		return 0, 0, c.BadArgument(i, "the lower bound is above the upper one")
	}
	return low, high, nil
}

// integerOf returns an integer: often a small one or a bound. The simplest is the nearest to 0.
func integerOf(s *choices.Source, low, high int64) int64 {
	negative := high <= 0
	if low < 0 && high > 0 {
		negative = s.Below(2) == 1
	}
	first, last := max(low, 0), high
	if negative {
		first, last = min(high, 0), low
	}
	step := int64(s.Extreme(uint64(max(last-first, first-last)) + 1))
	if last < first {
		step = -step
	}
	return first + step
}

func (gs *generators) integer(c *luabridge.ToolCall) (generator, error) {
	low, high, err := bounds(c, 0, -usualBounds, usualBounds, maxInteger)
	return func(s *choices.Source) (luabridge.Value, error) {
		return gs.f.tool.Number(float64(integerOf(s, low, high))), nil
	}, err
}

// number makes numbers with a fraction of quarters.
func (gs *generators) number(c *luabridge.ToolCall) (generator, error) {
	low, high, err := bounds(c, 0, -usualBounds, usualBounds, maxInteger/4)
	return func(s *choices.Source) (luabridge.Value, error) {
		n := float64(integerOf(s, low, high))
		return gs.f.tool.Number(min(n+float64(s.Below(4))/4, float64(high))), nil
	}, err
}

func (gs *generators) boolean(*luabridge.ToolCall) (generator, error) {
	return func(s *choices.Source) (luabridge.Value, error) { return gs.f.tool.Bool(s.Below(2) == 1), nil }, nil
}

// characters of strings; simple ones come first.
var characters = []string{"a", "b", "c", "x", "y", "z", "A", "0", "1", "9", "-", "_", ":", ".", " ", "{", "}", "[", "%",
	"*", "'", "\"", "\\", "\n", "\r\n", "\x00", "\xff", "é", "世"}

// longest is the largest length of lists and strings, and usually is that by default.
const (
	longest = 10_000
	usually = 8
)

func (gs *generators) text(c *luabridge.ToolCall) (generator, error) {
	low, high, err := bounds(c, 0, 0, usually, longest)
	if err == nil && low < 0 {
		err = c.BadArgument(0, "a length cannot be negative")
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		var b strings.Builder
		for n := int64(0); more(s, n, low, high); n++ {
			b.WriteString(characters[s.Below(uint64(len(characters)))])
		}
		return gs.f.tool.String(b.String()), nil
	}, err
}

// more reports whether another element follows n, of at least low and at most high.
func more(s *choices.Source, n, low, high int64) bool {
	if n < low {
		return true
	}
	return n < high && s.Below(uint64(max(2, min(high-low, 50)))) > 0
}

// edges are arguments that scripts often do not expect; simple ones come first.
var edges = []string{"", "0", "1", "-1", "a", "b", "2", "10", "-0", "007", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "nan", "inf",
	"-inf", "a b", "a\r\nb", "\x00", "\xff", "é", "{a}b", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807",
	"-9223372036854775808", "9223372036854775808", "1e400", strings.Repeat("9", 400), strings.Repeat("x", 70_000)}

func (gs *generators) arg(*luabridge.ToolCall) (generator, error) {
	return func(s *choices.Source) (luabridge.Value, error) {
		return gs.f.tool.String(edges[s.Below(uint64(len(edges)))]), nil
	}, nil
}

// usualKeys are the keys of gen.key by default.
var usualKeys = []string{"k1", "k2", "k3", "{k1}:a", "{k1}:b", "key with spaces", ""}

// names reads names from argument i on.
func names(c *luabridge.ToolCall, i int) ([]string, error) {
	list, ok := luabridge.Words(c.From(i))
	if !ok {
		return nil, c.BadArgument(i, "names of keys expected")
	}
	return list, nil
}

func (gs *generators) key(c *luabridge.ToolCall) (generator, error) {
	list, err := names(c, 0)
	if len(list) == 0 {
		list = usualKeys
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		return gs.f.tool.String(list[s.Below(uint64(len(list)))]), nil
	}, err
}

func (gs *generators) oneof(c *luabridge.ToolCall) (generator, error) {
	if len(c.Args) == 0 {
		return nil, c.BadArgument(0, "value or generator expected")
	}
	var list []generator
	for _, v := range c.Args {
		list = append(list, gs.orValue(v))
	}
	return func(s *choices.Source) (luabridge.Value, error) { return list[s.Below(uint64(len(list)))](s) }, nil
}

func (gs *generators) listOf(c *luabridge.ToolCall) (generator, error) {
	element, err := gs.needed(c, 0)
	if err != nil {
		return nil, err
	}
	low, high, err := bounds(c, 1, 0, usually, longest)
	if err == nil && low < 0 {
		err = c.BadArgument(1, "a length cannot be negative")
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		var list []luabridge.Value
		for n := int64(0); more(s, n, low, high); n++ {
			v, err := element(s)
			if err != nil {
				return luabridge.Value{}, err
			}
			list = append(list, v)
		}
		return gs.f.tool.Table(list...), nil
	}, err
}

// record makes tables whose fields are made by generators, or have fixed values.
func (gs *generators) record(c *luabridge.ToolCall) (generator, error) {
	if c.Arg(0).Kind() != luabridge.TableKind {
		return nil, c.BadArgument(0, "table expected")
	}
	fields := map[string]generator{}
	for _, f := range c.Arg(0).Fields() {
		if f.Key.Kind() != luabridge.StringKind {
			return nil, c.BadArgument(0, "the fields of a record have names; gen.list makes lists")
		}
		fields[f.Key.Text()] = gs.orValue(f.Value)
	}
	order := slices.Sorted(maps.Keys(fields))
	return func(s *choices.Source) (luabridge.Value, error) {
		t := gs.f.tool.Table()
		for _, name := range order {
			v, err := fields[name](s)
			if err != nil {
				return v, err
			}
			t.Set(name, v)
		}
		return t, nil
	}, nil
}

// mapped makes the results of a function.
func (gs *generators) mapped(c *luabridge.ToolCall) (generator, error) {
	g, err := gs.needed(c, 0)
	fn := c.Arg(1)
	if err == nil && fn.Kind() != luabridge.FunctionKind {
		err = c.BadArgument(1, "function expected")
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		v, err := g(s)
		if err != nil {
			return v, err
		}
		return gs.call(fn, v)
	}, err
}

// call calls a function and returns its first result.
func (gs *generators) call(fn luabridge.Value, args ...luabridge.Value) (v luabridge.Value, err error) {
	values, err := gs.f.tool.Call(fn, args...)
	if err == nil && len(values) > 0 {
		v = values[0]
	}
	return v, err
}

// filtered makes the values for which a function returns true.
func (gs *generators) filtered(c *luabridge.ToolCall) (generator, error) {
	g, err := gs.needed(c, 0)
	fn := c.Arg(1)
	if err == nil && fn.Kind() != luabridge.FunctionKind {
		err = c.BadArgument(1, "function expected")
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		for range 100 {
			v, err := g(s)
			if err != nil {
				return v, err
			}
			if ok, err := gs.call(fn, v); err != nil || ok.Truth() {
				return v, err
			}
		}
		return luabridge.Value{}, errRejected
	}, err
}

// keyspace makes tables for fixture: each key is missing or has a value of any type, and sometimes
// a time to live.
func (gs *generators) keyspace(c *luabridge.ToolCall) (generator, error) {
	list, err := names(c, 0)
	if len(list) == 0 && err == nil {
		err = c.BadArgument(0, "names of keys expected")
	}
	return func(s *choices.Source) (luabridge.Value, error) {
		t := gs.f.tool.Table()
		for _, name := range list {
			v, err := gs.keyValue(s)
			if err != nil {
				return v, err
			}
			if v.Kind() != luabridge.NilKind {
				t.Set(name, v)
			}
		}
		return t, nil
	}, err
}

// The kinds of keys, each by the word of fixtures that makes it; "": the key is missing.
var keyKinds = []string{"", "text", "list", "hash", "set", "zset", "stream"}

// keyValue makes the value of a key.
func (gs *generators) keyValue(s *choices.Source) (v luabridge.Value, err error) {
	t := gs.f.tool
	kind := keyKinds[s.Below(uint64(len(keyKinds)))]
	content := func() luabridge.Value { return t.String(edges[s.Below(uint64(len(edges)))]) }
	switch kind {
	case "":
		return v, nil
	case "text":
		v = content()
	default:
		table := t.Table()
		for n := int64(0); more(s, n, 1, 4); n++ {
			switch kind {
			case "hash":
				table.Set(characters[s.Below(4)], content())
			case "zset":
				table.Set(characters[s.Below(4)], t.Number(float64(integerOf(s, -usualBounds, usualBounds))))
			case "stream":
				entry := t.Table()
				entry.Set("id", t.String(fmt.Sprintf("%d-1", n+1)))
				entry.Set(characters[s.Below(4)], content())
				table.SetField(t.Int(int(n)+1), entry)
			default:
				table.SetField(t.Int(int(n)+1), content())
			}
		}
		if v, err = gs.call(t.Globals().Get(kind), table); err != nil {
			return v, err
		}
	}
	if s.Below(4) == 3 {
		v, err = gs.call(t.Globals().Get("ttl"), t.Int(60+int(s.Below(100_000))), v)
	}
	return v, err
}
