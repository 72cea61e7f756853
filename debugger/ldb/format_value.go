package ldb

import (
	"fmt"
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/reply"
)

const (
	maxDepth    = 10       // maximum nesting of tables
	maxValueLen = 64 << 20 // maximum length in bytes: a table may occur several times in itself
)

// formatValue returns a Lua value as Redis's debugger shows it.
func formatValue(v engine.LuaValue) string {
	var b strings.Builder
	appendValue(&b, v, 0)
	return b.String()
}

func appendValue(b *strings.Builder, v engine.LuaValue, depth int) {
	if depth == maxDepth {
		b.WriteString("<max recursion level reached! Nested table?>")
		return
	}
	if b.Len() > maxValueLen {
		return
	}
	switch v.Kind() {
	case engine.LuaString:
		b.Write(quoting.Append(nil, v.Text()))
	case engine.LuaBoolean:
		fmt.Fprint(b, v.Bool())
	case engine.LuaNumber:
		b.WriteString(number(v.Number()))
	case engine.LuaNil:
		b.WriteString("nil")
	case engine.LuaTable:
		table(b, v.Fields(), depth+1)
	case engine.LuaUserdata: // there is only one: cjson.null
		b.WriteString(`"light-userdata@(nil)"`)
	default: // as long as most addresses are
		fmt.Fprintf(b, `"%s@0x%012x"`, v.Kind(), v.ID())
	}
}

// number formats a number as %g does in C.
func number(f float64) string {
	switch {
	case math.IsNaN(f):
		if math.Signbit(f) {
			return "-nan"
		}
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return reply.FormatG(f, 6)
}

// table formats a table as a list if its keys are 1 to n, in order.
func table(b *strings.Builder, fields []engine.LuaField, depth int) {
	list := true
	for i, f := range fields {
		list = list && f.Key.Kind() == engine.LuaNumber && f.Key.Number() == float64(i+1)
	}
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteString("; ")
		}
		if !list {
			b.WriteByte('[')
			appendValue(b, f.Key, depth)
			b.WriteString("]=")
		}
		appendValue(b, f.Value, depth)
	}
	b.WriteByte('}')
}
