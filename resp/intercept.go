package resp

import (
	"context"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
)

// Interceptor sees the requests of one connection before the engine does, for example to answer
// commands that the engine does not have, or to delay or fail some. Its methods are called on the
// goroutine of the connection, so only this client waits for them.
type Interceptor interface {
	// Request is called for each request when the replies to all earlier ones have been sent. It
	// reports whether it has answered the request itself; if not, the engine runs the command.
	Request(x *Exchange) (answered bool)
	// End is called once, when the connection has ended.
	End()
}

// Exchange is a request that an [Interceptor] sees. It is valid until Request returns.
type Exchange struct {
	// Args are the name of the command as the client has written it, and its arguments. They must not
	// be changed.
	Args []string
	// Proto is the protocol of the connection: 2 or 3.
	Proto int

	c       *connection
	replies []reply.Value
	closes  bool
}

// Reply adds a reply to the request. A request usually has one; more are possible, as for
// SUBSCRIBE. Replies are dropped unless Request returns true.
func (x *Exchange) Reply(v reply.Value) { x.replies = append(x.replies, v) }

// CloseAfter ends the connection when the replies have been sent. It has no effect unless Request
// returns true.
func (x *Exchange) CloseAfter() { x.closes = true }

// Do runs a command in the session of the connection, as if the client had sent it, and returns its
// reply; an error reply is a Value. The reply of a command that the engine sends to the client
// itself, such as SUBSCRIBE, is [reply.None]. The error says that the session has ended.
func (x *Exchange) Do(args ...string) (reply.Value, error) {
	b := enginedoor.Batch{Commands: [][]string{args}}
	if err := x.c.sess.RunBatch(context.Background(), &b); err != nil {
		return reply.Value{}, err
	}
	x.closes = x.closes || b.Closed
	if len(b.Replies) == 0 {
		return reply.None(), nil
	}
	x.c.proto = int(b.Protos[0])
	x.Proto = x.c.proto
	return b.Replies[0], nil
}

// intercepted shows the request of the batch to the interceptor. done reports that it has answered,
// open that the connection stays open.
func (c *connection) intercepted() (done, open bool) {
	if c.send() != nil {
		return false, false
	}
	x := &Exchange{Args: c.batch.Commands[0], Proto: c.proto, c: c}
	if !c.intercept.Request(x) {
		return false, true
	}
	c.drop()
	for _, v := range x.replies {
		if c.box.isStarted() {
			c.box.put(v, c.proto, 0)
		} else if c.put(v, c.proto) != nil {
			return true, false
		}
	}
	if x.closes {
		c.end()
	}
	return true, !x.closes
}
