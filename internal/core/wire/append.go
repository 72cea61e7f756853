package wire

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
		return AppendHeader(b, ':', v.MustInt())
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
	b, elems = AppendAggregateHeader(b, v.Kind(), elems, proto)
	for i := range elems {
		b = Append(b, elems[i], proto)
	}
	return b
}

// AppendAggregateHeader appends the header and returns the elements that must follow.
func AppendAggregateHeader(b []byte, kind reply.Kind, elems []reply.Value, proto int) ([]byte, []reply.Value) {
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
		return AppendHeader(b, '|', (n-1)/2), elems
	}
	if proto < 3 {
		return AppendHeader(b, '*', n), elems
	}
	switch kind {
	case reply.KindMap:
		return AppendHeader(b, '%', n/2), elems
	case reply.KindSet:
		return AppendHeader(b, '~', n), elems
	case reply.KindPush:
		return AppendHeader(b, '>', n), elems
	}
	return AppendHeader(b, '*', n), elems
}

// AppendHeader appends the line that begins an aggregate or a bulk string: a mark and a number.
func AppendHeader(b []byte, mark byte, n int64) []byte {
	b = append(b, mark)
	b = strconv.AppendInt(b, n, 10)
	return append(b, '\r', '\n')
}

func appendBulk(b []byte, s string) []byte {
	b = AppendHeader(b, '$', int64(len(s)))
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
	b = AppendHeader(b, '=', int64(len(text)+4))
	b = append(b, v.Format()...)
	b = append(b, ':')
	b = append(b, text...)
	return append(b, '\r', '\n')
}

// AppendCommand appends a request as clients send it: an array of bulk strings.
func AppendCommand(b []byte, args ...string) []byte {
	b = AppendHeader(b, '*', int64(len(args)))
	for _, a := range args {
		b = appendBulk(b, a)
	}
	return b
}

// CommandSize returns the number of bytes that AppendCommand appends.
func CommandSize(args []string) int64 {
	n := headerSize(len(args))
	for _, a := range args {
		n += headerSize(len(a)) + int64(len(a)) + 2
	}
	return n
}

// headerSize returns the number of bytes that AppendHeader appends.
func headerSize(n int) int64 {
	size := int64(len("*0\r\n"))
	for ; n >= 10; n /= 10 {
		size++
	}
	return size
}

// Size returns the number of bytes that Append appends.
func Size(v reply.Value, proto int) int64 {
	if v.Kind() == reply.KindBulk {
		n := len(v.Text())
		return headerSize(n) + int64(n) + 2
	}
	elems := v.Slice()
	if elems == nil {
		var short [64]byte
		return int64(len(Append(short[:0], v, proto)))
	}
	var header [32]byte
	proto = v.Proto(proto)
	b, elems := AppendAggregateHeader(header[:0], v.Kind(), elems, proto)
	n := int64(len(b))
	for _, e := range elems {
		n += Size(e, proto)
	}
	return n
}
