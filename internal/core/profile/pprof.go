package profile

import (
	"cmp"
	"compress/gzip"
	"io"
	"time"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Type is a kind of value of a sample.
type Type struct{ Name, Unit string }

// Types are the kinds of values, in the order of [Values]. pprof shows the last one unless another
// is requested.
var Types = []Type{
	{"hits", "count"}, {"calls", "count"}, {"commands", "count"}, {"alloc", "bytes"}, {"time", "nanoseconds"},
}

// Values returns the values of a sample.
func Values(s *luabridge.ProfileSample) []int64 {
	return []int64{s.Hits, s.Calls, s.Commands, s.Bytes, s.Time.Nanoseconds()}
}

// Write writes a profile in the format of pprof (profile.proto, compressed). A frame is a line
// of a Lua function; library functions and commands are functions without a file.
func Write(w io.Writer, p *luabridge.Profile, now time.Time) error {
	e := encoder{strings: map[string]int64{"": 0}, table: []string{""}, functions: map[function]uint64{}, locations: map[location]uint64{}}
	samples := p.Samples()
	var body message
	for _, t := range Types {
		body.embed(1, e.valueType(t.Name, t.Unit))
	}
	for i := range samples {
		body.embed(2, e.sample(&samples[i]))
	}
	var mapping message
	mapping.number(1, 1)
	mapping.number(5, uint64(e.text("lua")))
	for field := 7; field <= 9; field++ { // it has functions, file names and line numbers
		mapping.number(field, 1)
	}
	body.embed(3, mapping)
	body = append(body, e.tables...)
	body.number(9, uint64(now.UnixNano()))
	body.number(10, uint64(max(0, now.Sub(p.Since()))))
	body.number(14, uint64(e.text(Types[len(Types)-1].Name)))
	for _, s := range e.table {
		body.bytes(6, []byte(s))
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(body); err != nil {
		return err
	}
	return z.Close()
}

type function struct {
	name, file string
	line       int
}

type location struct {
	function uint64
	line     int
}

// encoder numbers the strings, functions and locations of a profile.
type encoder struct {
	strings   map[string]int64
	table     []string
	functions map[function]uint64
	locations map[location]uint64
	tables    message // functions and locations, as fields of the profile
}

func (e *encoder) text(s string) int64 {
	i, ok := e.strings[s]
	if !ok {
		i = int64(len(e.table))
		e.strings[s] = i
		e.table = append(e.table, s)
	}
	return i
}

func (e *encoder) valueType(name, unit string) (m message) {
	m.number(1, uint64(e.text(name)))
	m.number(2, uint64(e.text(unit)))
	return m
}

func (e *encoder) sample(s *luabridge.ProfileSample) (m message) {
	var ids, numbers message
	for _, f := range s.Stack {
		ids.varint(e.location(f))
	}
	for _, v := range Values(s) {
		numbers.varint(uint64(v))
	}
	m.bytes(1, ids)
	m.bytes(2, numbers)
	return m
}

// FileOf returns the name under which a profile shows the file of a frame.
func FileOf(f luabridge.ProfileFrame) string {
	if f.SHA == "" {
		return ""
	}
	return cmp.Or(f.File, "script:"+f.SHA[:min(12, len(f.SHA))])
}

func (e *encoder) location(f luabridge.ProfileFrame) uint64 {
	fn := function{f.Function, FileOf(f), f.Begins}
	id, ok := e.functions[fn]
	if !ok {
		id = uint64(len(e.functions) + 1)
		e.functions[fn] = id
		var m message
		m.number(1, id)
		m.number(2, uint64(e.text(fn.name)))
		m.number(3, uint64(e.text(fn.name)))
		m.number(4, uint64(e.text(fn.file)))
		m.number(5, uint64(fn.line))
		e.tables.embed(5, m)
	}
	at := location{id, f.Line}
	place, ok := e.locations[at]
	if !ok {
		place = uint64(len(e.locations) + 1)
		e.locations[at] = place
		var line, m message
		line.number(1, id)
		line.number(2, uint64(f.Line))
		m.number(1, place)
		m.number(2, 1)
		m.embed(4, line)
		e.tables.embed(4, m)
	}
	return place
}

// message is an encoded message of protocol buffers.
type message []byte

func (m *message) varint(v uint64) {
	for v >= 0x80 {
		*m = append(*m, byte(v)|0x80)
		v >>= 7
	}
	*m = append(*m, byte(v))
}

// number appends a field with a number. 0 is the default, which is left out.
func (m *message) number(field int, v uint64) {
	if v != 0 {
		m.varint(uint64(field) << 3)
		m.varint(v)
	}
}

func (m *message) bytes(field int, b []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) embed(field int, sub message) { m.bytes(field, sub) }
