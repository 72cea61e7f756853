package goredis

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Client is an [engine.Client] on a go-redis client. It may be used from any number of goroutines.
type Client struct {
	rdb redis.UniversalClient
}

var _ engine.Client = (*Client)(nil)

// New returns a client on rdb: a *redis.Client, *redis.ClusterClient, *redis.Ring, or what redis.NewFailoverClient makes. It does not
// close rdb.
//
// An error reply comes back as an *[engine.Error]. After any other error it is not known whether the command or script was run: go-redis
// repeats a call whose connection failed (see MaxRetries of its options), and a call whose context ended may be under way still. So a script must be
// harmless when it is run twice; those of this module are. When rdb has been closed, the error is [engine.ErrClosed] as well.
func New(rdb redis.UniversalClient) *Client { return &Client{rdb} }

// RunScript implements [engine.Runner]: EVALSHA, and EVAL where the server does not know the script.
func (c *Client) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	cmd := c.rdb.EvalSha(ctx, s.SHA(), keys, list...)
	if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		cmd = c.rdb.Eval(ctx, s.Source(), keys, list...)
	}
	return value(cmd)
}

// DoStrings implements [engine.Doer].
func (c *Client) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	return value(c.rdb.Do(ctx, list...))
}

// value is the reply to a command.
func value(cmd *redis.Cmd) (engine.Value, error) {
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
	}
	return engine.Value{}, err
}

// convert is what go-redis has made of a reply. It does not tell status replies from strings: both become strings.
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
