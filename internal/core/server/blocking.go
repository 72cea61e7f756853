package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// MissingKey returns the result of a serve function that found no value of its type. Without an
// error the command goes on waiting; otherwise the result is the error reply.
func MissingKey(err error) (reply.Value, bool) {
	if err != nil {
		return WrongType(), true
	}
	return reply.Value{}, false
}

// ServeOrBlock serves the command on the first of its keys that is ready, and blocks if none is.
func (c *Ctx) ServeOrBlock(timeout int64, instead reply.Value, w BlockOptions) reply.Value {
	for _, key := range w.Keys {
		if v, ok := w.Serve(c, key); ok {
			return v
		}
	}
	w.Late = reply.NilArray()
	if c.Door.MayWait() {
		w.Keys = append([]string(nil), w.Keys...) // the arguments belong to the caller
	}
	return c.Block(timeout, instead, w)
}
