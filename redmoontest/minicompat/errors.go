package miniredis

import (
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The errors of the methods.
var (
	// ErrKeyNotFound is returned if there is no such key.
	ErrKeyNotFound = errors.New("ERR no such key")
	// ErrWrongType is returned if a key holds another type.
	ErrWrongType = errors.New("WRONGTYPE Operation against a key holding the wrong kind of value")
	// ErrNotValidHllValue is returned if a key does not hold a HyperLogLog.
	ErrNotValidHllValue error = errorReply("WRONGTYPE Key is not a valid HyperLogLog string value.")
	// ErrIntValueError is returned by Incr and HIncr if the value is not an integer.
	ErrIntValueError = errors.New("ERR value is not an integer or out of range")
	// ErrIntValueOverflowError is returned by Incr and HIncr if the result would be out of range.
	ErrIntValueOverflowError = errors.New("ERR increment or decrement would overflow")
	// ErrFloatValueError is returned by Incrfloat and HIncrfloat if the value is not a float.
	ErrFloatValueError = errors.New("ERR value is not a valid float")
)

// asError returns the error of a reply, as one of the errors above if it is one, or nil.
func asError(v engine.Value) error {
	if !v.IsError() {
		return nil
	}
	text := v.Err().Error()
	switch text {
	case "ERR hash value is not an integer":
		return ErrIntValueError
	case "ERR hash value is not a float":
		return ErrFloatValueError
	}
	for _, err := range []error{ErrKeyNotFound, ErrWrongType, ErrNotValidHllValue, ErrIntValueError, ErrIntValueOverflowError,
		ErrFloatValueError} {
		if text == err.Error() {
			return err
		}
	}
	return v.Err()
}

func errorReply(text string) *engine.Error { return reply.ParseError(text) }

// SetError makes every command of a client fail with msg as the error reply, until SetError("")
// ends this. Methods do not fail. It replaces the hook of [Miniredis.Server], and a start of the
// server ends it, unless it was called before that.
func (m *Miniredis) SetError(msg string) {
	m.tested.Lock()
	defer m.tested.Unlock()
	if m.resp == nil {
		m.failing = msg
		return
	}
	m.front.SetPreHook(failing(msg))
}

// failing returns a hook that answers an error, or nil if msg is "".
func failing(msg string) server.Hook {
	if msg == "" {
		return nil
	}
	return func(c *server.Peer, _ string, _ ...string) bool {
		c.WriteError(msg)
		return true
	}
}
