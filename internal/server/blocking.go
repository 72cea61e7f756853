package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// MissingKey is the answer of a serve function that did not find a value of its type: to wait on,
// or an error.
func MissingKey(err error) (reply.Value, bool) {
	if err != nil {
		return WrongType(), true
	}
	return reply.Value{}, false
}

// ServeOrBlock serves the command on the first of its keys that is ready, and waits where none is.
func (c *Ctx) ServeOrBlock(timeout int64, instead reply.Value, w BlockOptions) reply.Value {
	for _, key := range w.Keys {
		if v, ok := w.Serve(c, key); ok {
			return v
		}
	}
	w.Late = reply.NilArray()
	if c.Door.MayWait() {
		w.Keys = append([]string(nil), w.Keys...) // the arguments are not ours to keep
	}
	return c.Block(timeout, instead, w)
}
