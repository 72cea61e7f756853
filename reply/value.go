package reply

import (
	"math"
	"strconv"
	"unsafe"
)

// Kind is the type of a [Value].
type Kind uint8

// The kinds. The zero Kind is KindNil, so the zero Value is a null.
const (
	KindNil       Kind = iota // null: $-1 in RESP2, _ in RESP3
	KindNilArray              // null array: *-1 in RESP2, _ in RESP3
	KindStatus                // simple string: +OK
	KindError                 // error line, code first: -ERR ...
	KindInt                   // 64-bit signed integer
	KindBulk                  // binary-safe string
	KindArray                 // list of values
	KindMap                   // field, value, field, value ... (flat); an array in RESP2
	KindSet                   // list of values; an array in RESP2
	KindDouble                // float; a bulk string in RESP2
	KindBool                  // boolean; 1 or 0 in RESP2
	KindBigNumber             // decimal text; a bulk string in RESP2
	KindVerbatim              // text with a three-letter format; a bulk string in RESP2
	KindPush                  // out-of-band data; an array in RESP2
	// attributes (flat map), and in the last place the reply that has them
	KindAttribute
	KindPushed // push messages, and in the last place the reply that follows them
	KindNone   // no reply is sent
)

var kindNames = [...]string{"nil", "nil array", "status", "error", "integer", "bulk", "array", "map",
	"set", "double", "boolean", "big number", "verbatim", "push", "attribute", "pushed", "none"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Value is one reply, of any kind. The zero Value is a null. A Value is immutable, and may be used
// by several goroutines. fmt and log/slog print it as redis-cli does. Compare Values with
// [Value.Equal], not with ==.
type Value struct {
	// Three words and four fields: so the compiler keeps a Value in registers. Every command returns
	// one through several calls. A string or a list is stored as its address and length.

	kind  Kind
	marks uint8          // the protocol in which it is sent (see In), and the marks below
	n     int64          // Int, Bool (0 or 1), Double (its bits); length of a string or list
	p     unsafe.Pointer // first byte of a string, first Value of a list; not nil for a Decimal
}

// The marks of a Value.
const (
	protoMark   uint8 = 3      // the bits of the protocol; 0: that of its session
	countedMark uint8 = 1 << 2 // of an error: see Counted
	refusedMark uint8 = 1 << 3 // of an error: see Refused
	shortMark   uint8 = 1 << 4 // of a double: see Short
)

func newText(kind Kind, s string) Value {
	return Value{kind: kind, n: int64(len(s)), p: unsafe.Pointer(unsafe.StringData(s))}
}

func newList(kind Kind, vs []Value) Value {
	return Value{kind: kind, n: int64(len(vs)), p: unsafe.Pointer(unsafe.SliceData(vs))}
}

// str returns the string of a value whose kind has one, otherwise "".
func (v Value) str() string {
	switch v.kind {
	case KindStatus, KindError, KindBulk, KindBigNumber, KindVerbatim:
		return unsafe.String((*byte)(v.p), v.n)
	}
	return ""
}

// Nil returns the null reply.
func Nil() Value { return Value{} }

// NilArray returns the null array, which differs from [Nil] only in RESP2.
func NilArray() Value { return Value{kind: KindNilArray} }

// OK returns the status reply OK.
func OK() Value { return newText(KindStatus, "OK") }

// Status returns a simple string. s must not have a CR or LF.
func Status(s string) Value { return newText(KindStatus, s) }

// Int returns an integer reply.
func Int(n int64) Value { return Value{kind: KindInt, n: n} }

// Bulk returns a bulk string, which may have any bytes.
func Bulk(s string) Value { return newText(KindBulk, s) }

// Array returns a list of values. It keeps the slice.
func Array(vs ...Value) Value { return newList(KindArray, vs) }

// Map returns a map of field, value, field, value ... The number of arguments must be even. It
// keeps the slice.
func Map(fv ...Value) Value { return newList(KindMap, fv) }

// Set returns a set of distinct values. It keeps the slice.
func Set(vs ...Value) Value { return newList(KindSet, vs) }

// Double returns a floating-point reply; f may be infinite or NaN.
func Double(f float64) Value { return Value{kind: KindDouble, n: int64(math.Float64bits(f))} }

// Bool returns a boolean reply: #t or #f in RESP3, 1 or 0 in RESP2.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, n: 1}
	}
	return Value{kind: KindBool}
}

// BigNumber returns an integer of any size, given in decimal.
func BigNumber(digits string) Value { return newText(KindBigNumber, digits) }

// Verbatim returns a text with a format, for example "txt", which must have three letters.
func Verbatim(format, text string) Value {
	return newText(KindVerbatim, format+":"+text)
}

// Bulks returns an array of bulk strings.
func Bulks(ss ...string) Value {
	vs := make([]Value, len(ss))
	for i, s := range ss {
		vs[i] = Bulk(s)
	}
	return Array(vs...)
}

// Kind returns the kind of the reply.
func (v Value) Kind() Kind { return v.kind }

// IsNil reports whether v is a null or a null array.
func (v Value) IsNil() bool { return v.kind == KindNil || v.kind == KindNilArray }

// IsError reports whether v is an error reply.
func (v Value) IsError() bool { return v.kind == KindError }
