// Package reply has the reply of a Redis command or script: [Value] with its [Kind], and the error
// reply, [Error].
//
// A Value says what is meant (a map, a double, a null), not how RESP2 or RESP3 encodes it.
// engine.Value and engine.Error are these types.
//
// # Reading
//
// [Value.Int], [Value.Float], [Value.Bool] and [Value.Map] return an error if the reply is not what
// the caller expects: the *[Error] of an error reply, [ErrNil] for a null, else [ErrKind]. Amounts
// of money must be read with Int. MustInt, MustFloat and MustBool panic instead; they are for tests
// and for values whose kind has been checked. [Value.Text], [Value.Strings] and [Value.Slice] have
// no error: they return "" or nil for a kind that has no text or elements, and [Value.Kind] and
// [Value.IsNil] distinguish these cases.
//
// # Making
//
// [Nil], [OK], [Status], [Int], [Bulk], [Bulks], [Array], [Map], [Set], [Double], [Bool],
// [BigNumber], [Verbatim] and [Err] make values, for a fake engine.Runner in a test, or for an
// adapter that runs scripts with another client.
//
// # For servers
//
// [None], [NilOf], [Push], [Attribute], [Pushed], [Decimal], [Short], [Refused], [Counted] and the
// methods In, Proto, IsDecimal, Refused, Counted and WireSize are for servers that send replies to
// connections. Only a few commands, such as SUBSCRIBE and DEBUG PROTOCOL, reply with the kinds push
// and attribute. [FormatDouble], [FormatShort], [FormatDecimal] and [FormatG] write floats as Redis
// does.
//
// Invariant: a Value is immutable. Its strings and slices may be shared with other replies and must
// not be changed.
package reply
