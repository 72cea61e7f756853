package reply

import "unsafe"

// This file has what only servers need: replies that a Go caller never gets, the protocol in which
// a reply is sent, and marks for statistics.

// NilOf is for servers. It returns the null of protocol proto (2 or 3), whatever the protocol of
// the reply that contains it.
func NilOf(proto int) Value { return Nil().In(proto) }

// None is for servers. It returns the absence of a reply: nothing is sent to the client.
func None() Value { return Value{kind: KindNone} }

// Push is for servers. It returns a push message. It keeps the slice.
func Push(vs ...Value) Value { return newList(KindPush, vs) }

// Attribute is for servers. It returns v with attributes, a flat list of field, value ... that is
// sent only in RESP3. [Value.Slice] returns the attributes and, in the last place, v.
func Attribute(v Value, fv ...Value) Value {
	return newList(KindAttribute, append(fv[:len(fv):len(fv)], v))
}

// Pushed is for servers. It returns v with push messages that are sent before it. [Value.Slice]
// returns the messages and, in the last place, v. (The reply to a blocked command is sent before
// the messages; then v is a message.)
func Pushed(v Value, pushes ...Value) Value {
	return newList(KindPushed, append(pushes[:len(pushes):len(pushes)], v))
}

// In is for servers. It returns v, to be sent in protocol proto (2 or 3), whatever the protocol of
// its session. If a transaction changes the protocol, each of its replies is sent in the protocol
// in which its command ran.
func (v Value) In(proto int) Value {
	v.marks = v.marks&^protoMark | uint8(proto)
	return v
}

// Proto is for servers. It returns the protocol in which v must be sent to a session with protocol
// proto.
func (v Value) Proto(proto int) int {
	if in := v.marks & protoMark; in != 0 {
		return int(in)
	}
	return proto
}

// Decimal is for servers. It returns a floating-point reply that is written without an exponent;
// see [FormatDecimal].
func Decimal(f float64) Value {
	v := Double(f)
	v.p = unsafe.Pointer(&decimalMark)
	return v
}

// IsDecimal is for servers. It reports whether v was made by [Decimal].
func (v Value) IsDecimal() bool { return v.kind == KindDouble && v.p != nil }

// Short is for servers. It returns a floating-point reply that is written as Redis writes it since
// 7.2; see [FormatShort].
func Short(f float64) Value {
	v := Double(f)
	v.marks = shortMark
	return v
}

// WireSize is for servers. It estimates the number of bytes of v in RESP.
func (v Value) WireSize() int64 {
	n := int64(16 + len(v.str()))
	for _, e := range v.Slice() {
		n += e.WireSize()
	}
	return n
}

// Counted is for servers. It returns the error reply v, marked as counted in the error statistics:
// a script returns the error reply of one of its commands, which has been counted already.
func Counted(v Value) Value {
	v.marks |= countedMark
	return v
}

// Refused is for servers. It returns the error reply v, marked as the reply to a command that was
// refused before it ran.
func Refused(v Value) Value {
	v.marks |= refusedMark
	return v
}

// Refused is for servers. It reports whether v was marked by [Refused].
func (v Value) Refused() bool { return v.marks&refusedMark != 0 }

// Counted is for servers. It reports whether v was marked by [Counted].
func (v Value) Counted() bool { return v.marks&countedMark != 0 }

var decimalMark byte
