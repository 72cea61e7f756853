package reply

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// ErrNil is wrapped by the errors of [Value.Int], [Value.Float] and [Value.Map] when the reply is a
// null: the key or field does not exist, or a script returned nil or false.
var ErrNil = errors.New("reply is null")

// ErrKind is wrapped by the errors of [Value.Int], [Value.Float], [Value.Bool] and [Value.Map] when
// the reply is neither a null nor an error and cannot be read as the type asked for.
var ErrKind = errors.New("reply is of another kind")

// Int returns v as an integer. v is an integer, a boolean (0 or 1), a double without a fractional
// part, or a bulk string, status or big number that holds an integer in decimal. In all cases it
// must fit into 64 bits.
//
// Int returns the *[Error] of an error reply, an error that wraps [ErrNil] for a null, and one that
// wraps [ErrKind] for anything else. The integer is then 0.
func (v Value) Int() (int64, error) {
	switch v.kind {
	case KindInt, KindBool:
		return v.n, nil
	case KindDouble:
		f := math.Float64frombits(uint64(v.n))
		if f == math.Trunc(f) && f >= -(1<<63) && f < 1<<63 {
			return int64(f), nil
		}
	case KindBulk, KindStatus, KindBigNumber:
		if n, err := strconv.ParseInt(v.str(), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, v.unreadable("an integer")
}

// MustInt is [Value.Int] for tests and for values whose kind has been checked. It panics instead of
// returning an error.
func (v Value) MustInt() int64 {
	if v.kind == KindInt {
		return v.n
	}
	return v.mustInt() // a call of its own keeps MustInt small enough to be inlined
}

func (v Value) mustInt() int64 { return must(v.Int()) }

// Float returns v as a float. v is a double, an integer, a boolean (0 or 1), or a bulk string,
// status or big number that holds a number in decimal. The errors are those of [Value.Int]. A
// [Decimal] is returned as it is written, which may have fewer digits than the float that it was
// made of.
func (v Value) Float() (float64, error) {
	switch v.kind {
	case KindDouble:
		if v.p != nil {
			return strconv.ParseFloat(v.Text(), 64)
		}
		return math.Float64frombits(uint64(v.n)), nil
	case KindInt, KindBool:
		return float64(v.n), nil
	case KindBulk, KindStatus, KindBigNumber:
		if f, err := strconv.ParseFloat(v.str(), 64); err == nil {
			return f, nil
		}
	}
	return 0, v.unreadable("a number")
}

// MustFloat is [Value.Float] for tests and for values whose kind has been checked. It panics
// instead of returning an error.
func (v Value) MustFloat() float64 { return must(v.Float()) }

// Bool returns v as a boolean. A boolean is itself; an integer is true if it is not 0; the status
// OK is true; a null is false, because RESP2 has no other form for Lua's false. For an error reply
// Bool returns its *[Error], and for anything else an error that wraps [ErrKind].
func (v Value) Bool() (bool, error) {
	switch {
	case v.kind == KindBool || v.kind == KindInt:
		return v.n != 0, nil
	case v.kind == KindStatus && v.str() == "OK":
		return true, nil
	case v.IsNil():
		return false, nil
	}
	return false, v.unreadable("a boolean")
}

// MustBool is [Value.Bool] for tests and for values whose kind has been checked. It panics instead
// of returning an error.
func (v Value) MustBool() bool { return must(v.Bool()) }

// Map returns the fields and values of a map, or of an array with an even number of elements, the
// form of a map in RESP2 (HGETALL, CONFIG GET). The keys of the Go map are the [Value.Text] of the
// fields. If a field occurs twice, the last value counts. The errors are those of [Value.Int]. The
// caller may change the Go map.
func (v Value) Map() (map[string]Value, error) {
	list := v.Slice()
	if v.kind != KindMap && v.kind != KindArray || len(list)%2 != 0 {
		return nil, v.unreadable("a map")
	}
	m := make(map[string]Value, len(list)/2)
	for i := 0; i < len(list); i += 2 {
		m[list[i].Text()] = list[i+1]
	}
	return m, nil
}

// unreadable returns the error for reading v as what, such as "an integer".
func (v Value) unreadable(what string) error {
	switch {
	case v.kind == KindError:
		return v.Err()
	case v.IsNil():
		return fmt.Errorf("redmoon: cannot read %s: %w", what, ErrNil)
	case v.isList():
		return fmt.Errorf("redmoon: cannot read %s: %w: %s of %d elements", what, ErrKind, v.kind, v.Len())
	}
	text := v.Text()
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return fmt.Errorf("redmoon: cannot read %s: %w: %s %q", what, ErrKind, v.kind, text)
}

func (v Value) isList() bool {
	switch v.kind {
	case KindArray, KindMap, KindSet, KindPush, KindAttribute, KindPushed:
		return true
	}
	return false
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Text returns v as a string: the bytes of a bulk string, status or big number, the text of a
// verbatim string, the whole line of an error, the decimal form of a number or boolean (1 or 0). It
// returns "" for a null, and for lists and maps. Use [Value.IsNil] to distinguish a null from an
// empty text.
func (v Value) Text() string {
	switch v.kind {
	case KindInt, KindBool:
		return strconv.FormatInt(v.n, 10)
	case KindDouble:
		f := math.Float64frombits(uint64(v.n))
		if v.p != nil {
			return FormatDecimal(f)
		}
		if v.marks&shortMark != 0 {
			return FormatShort(f)
		}
		return FormatDouble(f)
	case KindVerbatim:
		return v.str()[4:]
	}
	return v.str()
}

// Format returns the format (three letters) of a verbatim string, otherwise "".
func (v Value) Format() string {
	if v.kind == KindVerbatim {
		return v.str()[:3]
	}
	return ""
}

// Slice returns the elements of an array, set or push, or the fields and values of a map (field,
// value, field, value ...), otherwise nil. The caller must not change the slice.
func (v Value) Slice() []Value {
	if v.isList() {
		return unsafe.Slice((*Value)(v.p), v.n)
	}
	return nil
}

// Len returns the number of elements of [Value.Slice].
func (v Value) Len() int { return len(v.Slice()) }

// Err returns an error reply as an *[Error], and nil if v is of another kind.
func (v Value) Err() error {
	if v.kind != KindError {
		return nil
	}
	return ParseError(v.str())
}

// Strings returns the [Value.Text] of each element of [Value.Slice], which is "" for a null. It
// returns nil if v is not an array, set, map or push.
func (v Value) Strings() []string {
	vs := v.Slice()
	if vs == nil {
		return nil
	}
	ss := make([]string, len(vs))
	for i, e := range vs {
		ss[i] = e.Text()
	}
	return ss
}
