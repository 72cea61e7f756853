package engine

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/reply"
)

// Value is one reply: an integer, a text, a list, a null ... Package reply documents its methods
// and the functions that make one: reply.Int, reply.Bulk, reply.Array ... The zero Value is a null.
// A Value is immutable. Its methods Int, Float, Bool and Map return an error if the reply is of
// another kind.
//
//	v, err := e.Do(ctx, "GET", "balance")
//	...
//	balance, err := v.Int()
type Value = reply.Value

// Kind is the type of a Value; reply.Kind documents each.
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

// Error is an error reply of Redis. Its fields are Code, such as "WRONGTYPE" or "ERR", and Message,
// the rest of the line. The method Error returns the whole line. errors.Is compares the code, and
// also the message if the target has one.
type Error = reply.Error

// ErrClosed is returned by every call of an engine that has been closed.
var ErrClosed = errors.New("redmoon: engine is closed")

// ErrUnknown is wrapped by the error of a call of a server (package goredis) if it is not known
// whether the command ran: the connection failed after the request may have been sent. Engines
// never return it.
var ErrUnknown = errors.New("redmoon: it is not known whether the command was run")

// ErrSessionClosed is returned by calls in a session that has been closed, also by calls that were
// blocked when it was closed.
var ErrSessionClosed = errors.New("redmoon: session is closed")

// Errors of a session in process that the engine has ended. They wrap [ErrSessionClosed].
var (
	// ErrSlowReceiver: more bytes of messages were waiting for the session than
	// client-output-buffer-limit allows.
	ErrSlowReceiver = fmt.Errorf("%w: its messages were received too slowly", ErrSessionClosed)
	// ErrSessionKilled: CLIENT KILL named the session, its user was deleted, or its user lost the
	// permission for channels that it was subscribed to.
	ErrSessionKilled = fmt.Errorf("%w: it was killed", ErrSessionClosed)
)

// Error replies to compare with errors.Is. Each matches every error reply that has its code.
var (
	ErrWrongType = &Error{Code: "WRONGTYPE"} // the key holds another type
	ErrNoScript  = &Error{Code: "NOSCRIPT"}  // EVALSHA of a script that is not cached
	ErrExecAbort = &Error{Code: "EXECABORT"} // EXEC: a command of the transaction was refused when it was queued
	ErrNoAuth    = &Error{Code: "NOAUTH"}    // a password is needed first
	ErrOOM       = &Error{Code: "OOM"}       // the memory limit is reached
	ErrBusy      = &Error{Code: "BUSY"}      // another script has run for longer than busy-reply-threshold
)
