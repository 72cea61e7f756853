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

// Client is an [engine.Client] on a go-redis client. It may be used from any number of goroutines.
type Client struct {
	rdb     redis.UniversalClient
	repeats bool
}

var _ engine.Client = (*Client)(nil)

// Option changes what New makes.
type Option func(*Client)

// WithRepeats lets go-redis repeat calls whose connection failed, as often as MaxRetries of its
// options says, though the first may have been run. Scripts and commands must be harmless when they
// run twice then. Without it they get [engine.ErrUnknown].
func WithRepeats() Option { return func(c *Client) { c.repeats = true } }

// New returns a client on rdb: a *redis.Client, *redis.ClusterClient, *redis.Ring, or what
// redis.NewFailoverClient makes. It does not close rdb.
//
// Errors are of three kinds. An error reply is an *[engine.Error]. An error that is
// [engine.ErrUnknown] leaves open whether the script or command was run: the connection failed, or
// the context ended (errors.Is finds its error too), after it may have been sent. After any other
// error it was not run: there was no connection to be had, the context had ended before, or rdb was
// closed ([engine.ErrClosed]).
//
// What was refused before it was run, because the server is loading, a slot is on its way or a
// failover is under way (LOADING, TRYAGAIN, CLUSTERDOWN, MASTERDOWN, READONLY), is tried again for
// some seconds, as is making a connection. MOVED and ASK are followed.
//
// Commands with keys go to the owner of their slot; keys of several slots are refused with
// CROSSSLOT. Those without keys go where go-redis sends them, to one node for most, and may be
// repeated by it. Commands that wait (BLPOP, XREADGROUP with BLOCK ...) may wait as long as they
// say, whatever the read time-out of rdb is.
//
// Replies have the shapes of the protocol of rdb. With its option Protocol: 2 they are those of an
// engine; with 3, go-redis's default, replies such as those of XREAD and ZRANGE WITHSCORES are maps
// and pairs. What scripts answer is the same in both.
func New(rdb redis.UniversalClient, options ...Option) *Client {
	c := &Client{rdb: rdb}
	for _, o := range options {
		o(c)
	}
	return c
}

// RunScript implements [engine.Runner]: EVALSHA, and EVAL where the server does not know the
// script.
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

// noScript reports whether a server does not know a script. Other errors with that code are of a
// script that has run.
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

// value is the reply to a command.
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

// early is how much too early go-redis may end a call for the deadline of its context: its clock
// has steps.
const early = 100 * time.Millisecond

// ended is the error of a context that has ended a call with an error of the network, or nil. The
// context has ended when it returns one.
func ended(ctx context.Context, err error) error {
	var timeout net.Error
	if end, ok := ctx.Deadline(); ok && time.Until(end) < early && errors.As(err, &timeout) && timeout.Timeout() {
		<-ctx.Done()
	}
	return ctx.Err()
}

// convert is what go-redis has made of a reply. It does not tell status replies from strings: both
// become strings.
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
