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
	KindAttribute             // attributes (flat map) that precede the reply in Elems' last place
	KindPushed                // pushes that go out before the reply in Elems' last place, each by itself
	KindNone                  // no reply is sent at all
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

// Value is one reply, of any kind. The zero Value is a null.
//
// It is three words and four fields, which the compiler keeps in registers, because every command hands one up through several calls: a string or
// a list is kept as its address and length. Compare Values by what they hold, not with ==.
type Value struct {
	kind  Kind
	marks uint8          // the protocol in which it is sent, see In, and the marks that follow
	n     int64          // Int, Bool (0 or 1), Double (its bits); the length of a string or list
	p     unsafe.Pointer // first byte of a string, first Value of a list; of a Double not nil when it is a Decimal
}

// The marks of a Value.
const (
	protoMark   uint8 = 3      // the bits of the protocol; 0: that of its session
	toldMark    uint8 = 1 << 2 // of an error: see Told
	refusedMark uint8 = 1 << 3 // of an error: see Refused
)

func newText(kind Kind, s string) Value {
	return Value{kind: kind, n: int64(len(s)), p: unsafe.Pointer(unsafe.StringData(s))}
}

func newList(kind Kind, vs []Value) Value {
	return Value{kind: kind, n: int64(len(vs)), p: unsafe.Pointer(unsafe.SliceData(vs))}
}

// str is the string in a value of a kind that has one, else "".
func (v Value) str() string {
	switch v.kind {
	case KindStatus, KindError, KindBulk, KindBigNumber, KindVerbatim:
		return unsafe.String((*byte)(v.p), v.n)
	}
	return ""
}

// Nil is the null reply.
func Nil() Value { return Value{} }

// NilOf is the null of protocol proto (2 or 3), whatever the protocol of the reply that it is part of.
func NilOf(proto int) Value { return Nil().In(proto) }

// NilArray is the null array; it differs from [Nil] only in RESP2.
func NilArray() Value { return Value{kind: KindNilArray} }

// None is the absence of a reply: nothing is written to the caller.
func None() Value { return Value{kind: KindNone} }

// OK is the status reply OK.
func OK() Value { return newText(KindStatus, "OK") }

// Status is a simple string. Caller must not pass CR or LF.
func Status(s string) Value { return newText(KindStatus, s) }

// Int is an integer reply.
func Int(n int64) Value { return Value{kind: KindInt, n: n} }

// Bulk is a binary-safe string; s is shared, not copied.
func Bulk(s string) Value { return newText(KindBulk, s) }

// Array is a list of values; the slice is kept.
func Array(vs ...Value) Value { return newList(KindArray, vs) }

// Map is a flat list of field, value, field, value ...; the slice is kept.
func Map(fv ...Value) Value { return newList(KindMap, fv) }

// Set is a list of distinct values; the slice is kept.
func Set(vs ...Value) Value { return newList(KindSet, vs) }

// Push is an out-of-band message; the slice is kept.
func Push(vs ...Value) Value { return newList(KindPush, vs) }

// Attribute is v preceded by attributes, a flat list of field, value ... that only RESP3
// shows. [Value.Slice] returns the attributes and, in the last place, v.
func Attribute(v Value, fv ...Value) Value {
	return newList(KindAttribute, append(fv[:len(fv):len(fv)], v))
}

// Pushed is v after out-of-band messages that go out before it. [Value.Slice] returns the messages and, in
// the last place, v. (A command that has waited is answered before the messages: then the last is one of these.)
func Pushed(v Value, pushes ...Value) Value {
	return newList(KindPushed, append(pushes[:len(pushes):len(pushes)], v))
}

// In is v, sent in protocol proto (2 or 3) whatever its session speaks when it is sent: a session that changes its protocol in a transaction
// gets the reply to each command in that which it spoke then.
func (v Value) In(proto int) Value {
	v.marks = v.marks&^protoMark | uint8(proto)
	return v
}

// Proto is the protocol in which v is to be sent, to a session that speaks proto.
func (v Value) Proto(proto int) int {
	if in := v.marks & protoMark; in != 0 {
		return int(in)
	}
	return proto
}

// Double is a floating-point reply.
func Double(f float64) Value { return Value{kind: KindDouble, n: int64(math.Float64bits(f))} }

// Decimal is a floating-point reply that is written without an exponent; see [FormatDecimal].
func Decimal(f float64) Value {
	v := Double(f)
	v.p = unsafe.Pointer(&decimalMark)
	return v
}

var decimalMark byte

// IsDecimal reports whether v was made by [Decimal].
func (v Value) IsDecimal() bool { return v.kind == KindDouble && v.p != nil }

// Bool is a boolean reply: #t or #f in RESP3, 1 or 0 in RESP2.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, n: 1}
	}
	return Value{kind: KindBool}
}

// BigNumber is an integer of any size, given in decimal.
func BigNumber(digits string) Value { return newText(KindBigNumber, digits) }

// Verbatim is text in a three-letter format such as "txt".
func Verbatim(format, text string) Value {
	return newText(KindVerbatim, format+":"+text)
}

// Bulks is an array of bulk strings.
func Bulks(ss ...string) Value {
	vs := make([]Value, len(ss))
	for i, s := range ss {
		vs[i] = Bulk(s)
	}
	return Array(vs...)
}

// Kind tells which kind of reply this is.
func (v Value) Kind() Kind { return v.kind }

// IsNil reports whether v is a null or a null array.
func (v Value) IsNil() bool { return v.kind == KindNil || v.kind == KindNilArray }

// IsError reports whether v is an error reply.
func (v Value) IsError() bool { return v.kind == KindError }

// Int returns the integer in v: of an integer or boolean its value, of a double
// its integral part, of a string its decimal reading, else 0.
func (v Value) Int() int64 {
	switch v.kind {
	case KindInt, KindBool:
		return v.n
	case KindDouble:
		return int64(math.Float64frombits(uint64(v.n)))
	case KindBulk, KindStatus, KindBigNumber:
		n, _ := strconv.ParseInt(v.str(), 10, 64)
		return n
	}
	return 0
}

// Float returns the number in v, read as [Value.Int] reads it, with its fraction. Of a [Decimal] it
// is what its text says, which may have fewer digits than the number had.
func (v Value) Float() float64 {
	switch v.kind {
	case KindDouble:
		if v.p != nil {
			f, _ := strconv.ParseFloat(v.Text(), 64)
			return f
		}
		return math.Float64frombits(uint64(v.n))
	case KindInt, KindBool:
		return float64(v.n)
	case KindBulk, KindStatus, KindBigNumber:
		f, _ := strconv.ParseFloat(v.str(), 64)
		return f
	}
	return 0
}

// Bool reports whether v is a true boolean, a non-zero integer or the status OK.
func (v Value) Bool() bool {
	switch v.kind {
	case KindBool, KindInt:
		return v.n != 0
	case KindStatus:
		return v.str() == "OK"
	}
	return false
}

// Text returns the string in v: of a bulk, status or big number its bytes, of a
// verbatim string its text, of an error its whole line, of a number its decimal
// form, else the empty string.
func (v Value) Text() string {
	switch v.kind {
	case KindInt, KindBool:
		return strconv.FormatInt(v.n, 10)
	case KindDouble:
		f := math.Float64frombits(uint64(v.n))
		if v.p != nil {
			return FormatDecimal(f)
		}
		return FormatDouble(f)
	case KindVerbatim:
		return v.str()[4:]
	}
	return v.str()
}

// Format returns the three-letter format of a verbatim string, else "".
func (v Value) Format() string {
	if v.kind == KindVerbatim {
		return v.str()[:3]
	}
	return ""
}

// Slice returns the elements of an array, set or push, and the flat fields and
// values of a map; else nil. Caller must not change it.
func (v Value) Slice() []Value {
	switch v.kind {
	case KindArray, KindMap, KindSet, KindPush, KindAttribute, KindPushed:
		return unsafe.Slice((*Value)(v.p), v.n)
	}
	return nil
}

// Len is the number of elements in [Value.Slice].
func (v Value) Len() int { return len(v.Slice()) }

// Err returns the error in v as an *[Error], or nil when v is no error.
func (v Value) Err() error {
	if v.kind != KindError {
		return nil
	}
	return ParseError(v.str())
}

// Strings returns the elements as texts; nulls become empty strings.
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

// WireSize is about as many bytes as v takes on the wire.
func (v Value) WireSize() int64 {
	n := int64(16 + len(v.str()))
	for _, e := range v.Slice() {
		n += e.WireSize()
	}
	return n
}
