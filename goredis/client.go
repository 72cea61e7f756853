package goredis

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Client is an [engine.Client] that sends scripts and commands to a server with go-redis. Make it
// with [New]. It is safe for use by any number of goroutines. It needs no Close: close the go-redis
// client.
type Client struct {
	rdb     redis.UniversalClient
	repeats bool
}

var _ engine.Client = (*Client)(nil)

// Option changes the Client that [New] makes.
type Option func(*Client)

// WithRepeats allows go-redis to repeat a call whose connection failed, at most MaxRetries times
// (an option of go-redis), although the server may have run the first call. Use it only if each
// script and command can run twice without harm. Without WithRepeats such a call returns an error
// that wraps [engine.ErrUnknown].
func WithRepeats() Option { return func(c *Client) { c.repeats = true } }

// New returns a client on rdb: a *redis.Client, a *redis.ClusterClient, a *redis.Ring, or the
// result of redis.NewFailoverClient. It does not close rdb.
//
// There are three kinds of errors:
//
//   - An error reply is an *[engine.Error].
//   - An error that wraps [engine.ErrUnknown] means that the script or command may or may not have
//     run: the connection failed, or the context ended, after the request may have been sent. In
//     the second case it also wraps the error of the context.
//   - After any other error it has not run: no connection could be made, the context had ended
//     before, or rdb was closed ([engine.ErrClosed]).
//
// The client retries for about 4 seconds if no connection can be made, and if the server refuses
// the request because it is loading, a slot is moving or a failover is in progress (LOADING,
// TRYAGAIN, CLUSTERDOWN, MASTERDOWN, READONLY). It follows MOVED and ASK.
//
// A command with keys goes to the owner of their slot; keys of several slots are refused with
// CROSSSLOT. go-redis chooses where a command without keys goes, which is one node for most
// commands, and may repeat it. A command that blocks (BLPOP, XREADGROUP with BLOCK and so on) may
// block for as long as its timeout says, whatever the read timeout of rdb.
//
// The kinds of the replies depend on the option Protocol of rdb. With Protocol 2 they are those of
// an engine. With 3, the default of go-redis, the replies of commands such as XREAD and ZRANGE
// WITHSCORES are maps or lists of pairs. Replies of scripts are the same in both. A status reply
// becomes a bulk string.
func New(rdb redis.UniversalClient, options ...Option) *Client {
	c := &Client{rdb: rdb}
	for _, o := range options {
		o(c)
	}
	return c
}

// RunScript implements [engine.Runner]. It sends EVALSHA, and then EVAL if the script is not in the
// cache of the server.
func (c *Client) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	list := make([]any, 0, 3+len(keys)+len(args))
	list = append(list, "evalsha", s.SHA(), len(keys))
	for _, k := range keys {
		list = append(list, k)
	}
	for _, a := range args {
		list = append(list, a)
	}
	first := 0
	if len(keys) > 0 {
		first = 3
	}
	v, err := c.send(ctx, c.rdb, list, first)
	if noScript(err) {
		list[0], list[1] = "eval", s.Source()
		v, err = c.send(ctx, c.rdb, list, first)
	}
	return v, err
}

// noScript reports whether err says that the server does not know the script. Other errors with
// that code come from a script that ran.
func noScript(err error) bool {
	return errors.Is(err, engine.ErrNoScript) && strings.HasPrefix(err.Error(), "NOSCRIPT No matching script")
}

// DoStrings implements [engine.Doer].
func (c *Client) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	if wait, ok := waits(args); ok {
		return c.sendWaiting(ctx, args, list, wait)
	}
	if _, one := c.rdb.(*redis.Client); one {
		return c.send(ctx, c.rdb, list, 0)
	}
	return c.route(ctx, args, list)
}

// value is the reply to a command that was sent.
func value(ctx context.Context, cmd *redis.Cmd) (engine.Value, error) {
	v, err := cmd.Result()
	var e redis.Error
	switch {
	case err == nil:
		return convert(v), nil
	case errors.Is(err, redis.Nil):
		return reply.Nil(), nil
	case errors.As(err, &e):
		return engine.Value{}, reply.ParseError(e.Error())
	case errors.Is(err, redis.ErrClosed):
		return engine.Value{}, fmt.Errorf("%w: %w", engine.ErrClosed, err)
	case unsent(err):
		return engine.Value{}, err
	}
	if cause := ended(ctx, err); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return engine.Value{}, fmt.Errorf("%w: %w", engine.ErrUnknown, err)
}

// early is how much too early go-redis may end a call because of the deadline of its context: its
// clock has steps.
const early = 100 * time.Millisecond

// ended returns the error of a context that ended a call with an error of the network, or nil. If
// the deadline is near, it waits for the context to end.
func ended(ctx context.Context, err error) error {
	var timeout net.Error
	if end, ok := ctx.Deadline(); ok && time.Until(end) < early && errors.As(err, &timeout) && timeout.Timeout() {
		<-ctx.Done()
	}
	return ctx.Err()
}

// convert converts a reply as go-redis returns it. go-redis does not distinguish status replies
// from strings, so both become texts.
func convert(v any) engine.Value {
	switch v := v.(type) {
	case nil:
		return reply.Nil()
	case string:
		return reply.Bulk(v)
	case int64:
		return reply.Int(v)
	case float64:
		return reply.Double(v)
	case bool:
		return reply.Bool(v)
	case *big.Int:
		return reply.BigNumber(v.String())
	case []any:
		list := make([]engine.Value, len(v))
		for i, x := range v {
			list[i] = convert(x)
		}
		return reply.Array(list...)
	case map[any]any:
		list := make([]engine.Value, 0, 2*len(v))
		for k, x := range v {
			list = append(list, convert(k), convert(x))
		}
		return reply.Map(list...)
	case error:
		return reply.Err(strings.TrimPrefix(v.Error(), "-"))
	}
	return reply.Errorf("ERR a reply of type %T", v)
}
