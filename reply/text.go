package reply

import (
	"log/slog"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// String returns v as redis-cli prints it on a terminal, without the final line break: (integer) 3,
// "a text" in quotes, (nil), (error) ERR ..., a list with numbered elements. Use Text, Int and
// related methods for the content of v.
func (v Value) String() string { return strings.TrimSuffix(string(standard(nil, v, "")), "\n") }

// GoString implements fmt.GoStringer: it returns String inside engine.Value{}.
func (v Value) GoString() string { return "engine.Value{" + v.String() + "}" }

// LogValue implements slog.LogValuer with [Value.String].
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// standard appends v as [Value.String] formats it. Lines after the first begin with indent; the
// caller has already indented the first.
func standard(b []byte, v Value, indent string) []byte {
	switch v.Kind() {
	case KindNone:
		return b
	case KindNil, KindNilArray:
		b = append(b, "(nil)"...)
	case KindBulk:
		b = quoting.Append(b, v.Text())
	case KindInt:
		b = strconv.AppendInt(append(b, "(integer) "...), v.n, 10)
	case KindError:
		b = append(append(b, "(error) "...), v.Text()...)
	case KindDouble:
		b = append(append(b, "(double) "...), v.Text()...)
	case KindBigNumber:
		b = append(append(b, "(big number) "...), v.Text()...)
	case KindBool:
		b = append(b, boolText(v)...)
	case KindArray, KindSet, KindPush:
		return standardList(b, v, indent)
	case KindMap:
		return standardMap(b, v, indent)
	case KindAttribute, KindPushed:
		list := v.Slice()
		return standard(b, list[len(list)-1], indent)
	default: // a status or a verbatim string
		b = append(b, v.Text()...)
	}
	return append(b, '\n')
}

func boolText(v Value) string {
	if v.n != 0 {
		return "(true)"
	}
	return "(false)"
}

// shape returns the mark after the number of an element of kind k, and the text for no elements.
func shape(k Kind) (mark byte, empty string) {
	switch k {
	case KindMap:
		return '#', "(empty hash)\n"
	case KindSet:
		return '~', "(empty set)\n"
	case KindPush:
		return '>', "(empty push)\n"
	}
	return ')', "(empty array)\n"
}

func standardList(b []byte, v Value, indent string) []byte {
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

func standardMap(b []byte, v Value, indent string) []byte {
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

// breaksBefore reports whether a value of a map begins on a new line: it does if it contains, at
// any depth, more than one element.
func breaksBefore(v Value) bool {
	list := v.Slice()
	switch v.Kind() {
	case KindMap:
		return len(list) > 2 || len(list) == 2 && breaksBefore(list[1])
	case KindArray, KindSet, KindPush:
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
