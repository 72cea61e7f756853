package engine

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Value is one reply: an integer, a text, a list, a null ... Its zero value is a null.
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

// Error is an error reply of Redis.
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
