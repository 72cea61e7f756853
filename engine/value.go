package engine

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/reply"
)

// Value is one reply: an integer, a text, a list, a null ... Its zero value is a null. fmt and log/slog print it as redis-cli does.
// A Value is immutable. Compare values with Equal, not with ==. Its methods, which go doc shows only here:
//
//	Kind() Kind          // what it is; the kinds are below
//	IsNil() bool         // a null or a null array
//	IsError() bool       // an error reply
//	Err() error          // the error reply as an *Error; nil when it is none
//	Int() int64          // an integer or boolean; a double without its fraction; a text read as a decimal number; else 0
//	Float() float64      // the same with the fraction
//	Bool() bool          // a true boolean, an integer that is not 0, the status OK
//	Text() string        // a text, an error's line, a number in decimal; of a list or null ""
//	Format() string      // the three letters of a verbatim string ("txt"); else ""
//	Slice() []Value      // the elements of a list, set or push; of a map: field, value, field, value ...; else nil. Do not modify.
//	Len() int            // the length of Slice
//	Strings() []string   // the elements of Slice as texts; a null becomes ""
//	Equal(Value) bool    // the same kind with the same content
//	Clone() Value        // a copy that shares no memory
//	String() string      // as redis-cli prints it: (integer) 3, "text", (nil), lists over several lines
//	GoString() string    // for %#v
//	LogValue() slog.Value // String, for log/slog
//	WireSize() int64     // approximate size on a connection, in bytes
//
// The other methods are for servers: In and Proto (the protocol in which the value is sent), IsDecimal (a
// double that is sent without an exponent), Refused and Told (marks of error replies, for statistics).
type Value = reply.Value

// Kind is the type of a Value.
type Kind = reply.Kind

// The kinds of a Value.
const (
	KindNil       = reply.KindNil
	KindNilArray  = reply.KindNilArray
	KindStatus    = reply.KindStatus
	KindError     = reply.KindError
	KindInt       = reply.KindInt
	KindBulk      = reply.KindBulk
	KindArray     = reply.KindArray
	KindMap       = reply.KindMap
	KindSet       = reply.KindSet
	KindDouble    = reply.KindDouble
	KindBool      = reply.KindBool
	KindBigNumber = reply.KindBigNumber
	KindVerbatim  = reply.KindVerbatim
	KindPush      = reply.KindPush
	KindAttribute = reply.KindAttribute
	KindPushed    = reply.KindPushed
	KindNone      = reply.KindNone
)

// Error is an error reply of Redis. Its fields are Code, such as "WRONGTYPE" or "ERR", and Message, the rest
// of the line. Error() returns the whole line, which fmt and log/slog print. errors.Is compares the code, and
// also the message if the target has one.
type Error = reply.Error

// ErrClosed is returned by every call on an engine that has been closed.
var ErrClosed = errors.New("redmoon: engine is closed")

// ErrUnknown is wrapped by the error of a call on a server (package goredis) of which it is not known whether it was run: the connection failed
// after the request may have been sent. Engines never return it.
var ErrUnknown = errors.New("redmoon: it is not known whether the command was run")

// ErrSessionClosed is returned by calls in a session that has been closed, also by those that waited then.
var ErrSessionClosed = errors.New("redmoon: session is closed")

// Errors that are [ErrSessionClosed] as well, of sessions in process that the engine has ended.
var (
	// ErrSlowReceiver says that more was waiting for the session than client-output-buffer-limit allows.
	ErrSlowReceiver = fmt.Errorf("%w: it did not take what it was sent", ErrSessionClosed)
	// ErrSessionKilled says that the session's user has been deleted or has lost channels that it was subscribed to.
	ErrSessionKilled = fmt.Errorf("%w: it was killed", ErrSessionClosed)
)

// Errors of Redis to compare with errors.Is; each matches every message of its code.
var (
	ErrWrongType = &Error{Code: "WRONGTYPE"} // the key holds another type
	ErrNoScript  = &Error{Code: "NOSCRIPT"}  // EVALSHA of a script that is not cached
	ErrExecAbort = &Error{Code: "EXECABORT"} // EXEC after a command that was refused when queued
	ErrNoAuth    = &Error{Code: "NOAUTH"}    // a password is needed first
	ErrOOM       = &Error{Code: "OOM"}       // the memory limit is reached
	ErrBusy      = &Error{Code: "BUSY"}      // a script runs for too long
)
