package display

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/quoting"
)

// Standard appends v as redis-cli prints it on a terminal, with a line break at the end.
func Standard(b []byte, v engine.Value) []byte { return standard(b, v, "") }

// standard appends v; lines after the first begin with indent, for the caller has
// written the first one's already.
func standard(b []byte, v engine.Value, indent string) []byte {
	switch v.Kind() {
	case engine.KindNone:
		return b
	case engine.KindNil, engine.KindNilArray:
		b = append(b, "(nil)"...)
	case engine.KindBulk:
		b = quoting.Append(b, v.Text())
	case engine.KindInt:
		b = strconv.AppendInt(append(b, "(integer) "...), v.Int(), 10)
	case engine.KindError:
		b = append(append(b, "(error) "...), v.Text()...)
	case engine.KindDouble:
		b = append(append(b, "(double) "...), v.Text()...)
	case engine.KindBigNumber:
		b = append(append(b, "(big number) "...), v.Text()...)
	case engine.KindBool:
		b = append(b, boolText(v)...)
	case engine.KindArray, engine.KindSet, engine.KindPush:
		return standardList(b, v, indent)
	case engine.KindMap:
		return standardMap(b, v, indent)
	case engine.KindAttribute, engine.KindPushed:
		list := v.Slice()
		return standard(b, list[len(list)-1], indent)
	default: // a status or a verbatim string
		b = append(b, v.Text()...)
	}
	return append(b, '\n')
}

func boolText(v engine.Value) string {
	if v.Bool() {
		return "(true)"
	}
	return "(false)"
}

// shape is how the elements of a kind are numbered, and what stands for none.
func shape(k engine.Kind) (mark byte, empty string) {
	switch k {
	case engine.KindMap:
		return '#', "(empty hash)\n"
	case engine.KindSet:
		return '~', "(empty set)\n"
	case engine.KindPush:
		return '>', "(empty push)\n"
	}
	return ')', "(empty array)\n"
}

func standardList(b []byte, v engine.Value, indent string) []byte {
	mark, empty := shape(v.Kind())
	list := v.Slice()
	if len(list) == 0 {
		return append(b, empty...)
	}
	width := digits(len(list))
	inner := indent + spaces(width+2)
	for i, e := range list {
		if i > 0 {
			b = append(b, indent...)
		}
		b = appendNumber(b, i+1, width, mark)
		b = standard(b, e, inner)
	}
	return b
}

func standardMap(b []byte, v engine.Value, indent string) []byte {
	mark, empty := shape(v.Kind())
	list := v.Slice()
	if len(list) == 0 {
		return append(b, empty...)
	}
	width := digits(len(list) / 2)
	inner := indent + spaces(width+2)
	for i := 0; i+1 < len(list); i += 2 {
		if i > 0 {
			b = append(b, indent...)
		}
		b = appendNumber(b, i/2+1, width, mark)
		b = standard(b, list[i], inner)
		b = append(b[:len(b)-1], " => "...)
		if breaksBefore(list[i+1]) {
			b = append(append(b, '\n'), inner...)
		}
		b = standard(b, list[i+1], inner)
	}
	return b
}

// breaksBefore reports whether a value of a map begins on a line of its own: one that
// holds, at any depth, more than one element.
func breaksBefore(v engine.Value) bool {
	list := v.Slice()
	switch v.Kind() {
	case engine.KindMap:
		return len(list) > 2 || len(list) == 2 && breaksBefore(list[1])
	case engine.KindArray, engine.KindSet, engine.KindPush:
		return len(list) > 1 || len(list) == 1 && breaksBefore(list[0])
	}
	return false
}

func appendNumber(b []byte, n, width int, mark byte) []byte {
	b = append(b, spaces(width-digits(n))...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, mark, ' ')
}

func digits(n int) int { return len(strconv.Itoa(n)) }

func spaces(n int) string {
	const blank = "              "
	return blank[:n]
}
