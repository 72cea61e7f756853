package resp

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/reply"
)

// Append appends v to b as redis-server 7.0 sends it over protocol proto (2 or 3). In RESP2 the
// types of RESP3 are replaced: a map becomes a flat array, a double a bulk string, a boolean 1 or
// 0; attributes are omitted. A value of kind None appends nothing.
func Append(b []byte, v reply.Value, proto int) []byte {
	proto = v.Proto(proto)
	switch v.Kind() {
	case reply.KindBulk:
		return appendBulk(b, v.Text())
	case reply.KindStatus:
		return appendLine(b, '+', v.Text())
	case reply.KindError:
		return appendLine(b, '-', v.Text())
	case reply.KindInt:
		return appendHeader(b, ':', v.MustInt())
	case reply.KindNone:
		return b
	case reply.KindNil:
		if proto < 3 {
			return append(b, "$-1\r\n"...)
		}
		return append(b, "_\r\n"...)
	case reply.KindNilArray:
		if proto < 3 {
			return append(b, "*-1\r\n"...)
		}
		return append(b, "_\r\n"...)
	case reply.KindDouble:
		return appendDouble(b, v, proto)
	case reply.KindBool:
		return appendBool(b, v.MustBool(), proto)
	case reply.KindBigNumber:
		if proto < 3 {
			return appendBulk(b, v.Text())
		}
		return appendLine(b, '(', v.Text())
	case reply.KindVerbatim:
		return appendVerbatim(b, v, proto)
	}
	return appendAggregate(b, v, proto)
}

// appendAggregate appends a value that contains other values.
func appendAggregate(b []byte, v reply.Value, proto int) []byte {
	elems := v.Slice()
	b, elems = appendAggregateHeader(b, v.Kind(), elems, proto)
	for i := range elems {
		b = Append(b, elems[i], proto)
	}
	return b
}

// appendAggregateHeader appends the header and returns the elements that must follow.
func appendAggregateHeader(b []byte, kind reply.Kind, elems []reply.Value, proto int) ([]byte, []reply.Value) {
	n := int64(len(elems))
	if kind == reply.KindPushed {
		return b, elems
	}
	if kind == reply.KindAttribute {
		if n == 0 {
			return b, nil
		}
		if proto < 3 {
			return b, elems[n-1:]
		}
		return appendHeader(b, '|', (n-1)/2), elems
	}
	if proto < 3 {
		return appendHeader(b, '*', n), elems
	}
	switch kind {
	case reply.KindMap:
		return appendHeader(b, '%', n/2), elems
	case reply.KindSet:
		return appendHeader(b, '~', n), elems
	case reply.KindPush:
		return appendHeader(b, '>', n), elems
	}
	return appendHeader(b, '*', n), elems
}

func appendHeader(b []byte, mark byte, n int64) []byte {
	b = append(b, mark)
	b = strconv.AppendInt(b, n, 10)
	return append(b, '\r', '\n')
}

func appendBulk(b []byte, s string) []byte {
	b = appendHeader(b, '$', int64(len(s)))
	b = append(b, s...)
	return append(b, '\r', '\n')
}

// appendLine appends a one-line value. As in Redis, a line break within it becomes spaces.
func appendLine(b []byte, mark byte, s string) []byte {
	b = append(b, mark)
	from := len(b)
	b = append(b, s...)
	if strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		for i := from; i < len(b); i++ {
			if b[i] == '\n' || b[i] == '\r' {
				b[i] = ' '
			}
		}
	}
	return append(b, '\r', '\n')
}

func appendDouble(b []byte, v reply.Value, proto int) []byte {
	if proto < 3 {
		return appendBulk(b, v.Text())
	}
	if v.IsDecimal() {
		return appendLine(b, ',', v.Text())
	}
	b = append(b, ',')
	f := v.MustFloat()
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && f != 0 {
		b = strconv.AppendInt(b, int64(f), 10)
	} else {
		b = append(b, v.Text()...)
	}
	return append(b, '\r', '\n')
}

func appendBool(b []byte, v bool, proto int) []byte {
	switch {
	case proto >= 3 && v:
		return append(b, "#t\r\n"...)
	case proto >= 3:
		return append(b, "#f\r\n"...)
	case v:
		return append(b, ":1\r\n"...)
	}
	return append(b, ":0\r\n"...)
}

func appendVerbatim(b []byte, v reply.Value, proto int) []byte {
	text := v.Text()
	if proto < 3 {
		return appendBulk(b, text)
	}
	b = appendHeader(b, '=', int64(len(text)+4))
	b = append(b, v.Format()...)
	b = append(b, ':')
	b = append(b, text...)
	return append(b, '\r', '\n')
}

// AppendCommand appends a request as clients send it: an array of bulk strings.
func AppendCommand(b []byte, args ...string) []byte {
	b = appendHeader(b, '*', int64(len(args)))
	for _, a := range args {
		b = appendBulk(b, a)
	}
	return b
}
