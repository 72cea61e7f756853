package redlock

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-redsync/redsync/v4/redis"

	"github.com/redmoon-lua/redmoon/engine"
)

// node is one server, for one lease. It implements redis.Pool.
type node struct {
	*server
	failed atomic.Bool // a call was not answered
}

// Get implements redis.Pool.
func (n *node) Get(ctx context.Context) (redis.Conn, error) { return &conn{n, ctx}, nil }

// conn makes calls within one context. It implements redis.Conn.
type conn struct {
	*node
	ctx context.Context
}

// await returns the result of f, or the error of the context as soon as the context ends: a node
// that hangs must not delay the others.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// call is await that notes a failure.
func (c *conn) call(f func() (engine.Value, error)) (engine.Value, error) {
	v, err := await(c.ctx, f)
	if err != nil {
		c.failed.Store(true)
	}
	return v, err
}

func (c *conn) do(args ...string) (engine.Value, error) {
	return c.call(func() (engine.Value, error) { return c.c.DoStrings(c.ctx, args...) })
}

// Get implements redis.Conn.
func (c *conn) Get(name string) (string, error) {
	v, err := c.do("GET", name)
	return v.Text(), err
}

// Set implements redis.Conn.
func (c *conn) Set(name, value string) (bool, error) {
	v, err := c.do("SET", name, value)
	return v.Text() == "OK", err
}

// SetNX implements redis.Conn.
func (c *conn) SetNX(name, value string, expiry time.Duration) (bool, error) {
	v, err := c.do("SET", name, value, "NX", "PX", strconv.FormatInt(expiry.Milliseconds(), 10))
	return !v.IsNil() && err == nil, err
}

// PTTL implements redis.Conn.
func (c *conn) PTTL(name string) (time.Duration, error) {
	v, err := c.do("PTTL", name)
	if err != nil {
		return 0, err
	}
	ms, err := v.Int()
	if ms < 0 {
		return time.Duration(ms), err // -1: no expiry, -2: no key
	}
	return time.Duration(ms) * time.Millisecond, err
}

// Eval implements redis.Conn. Where the server has a command for what the script does, it sends
// the command. If that is refused, as by an ACL, it sends the script.
func (c *conn) Eval(script *redis.Script, keysAndArgs ...any) (any, error) {
	if r, ok := replaced[script.Hash]; ok {
		v, err := await(c.ctx, func() (any, error) { return c.run(c.ctx, r, keysAndArgs) })
		switch {
		case err == nil:
			return v, nil
		case !errors.Is(err, errNoCommand):
			c.failed.Store(true)
			return nil, err
		}
	}
	keys := make([]string, script.KeyCount)
	for i := range keys {
		keys[i] = keysAndArgs[i].(string)
	}
	s, ok := c.scripts.Load(script)
	if !ok {
		s, _ = c.scripts.LoadOrStore(script, engine.NewScript(script.Src))
	}
	v, err := c.call(func() (engine.Value, error) {
		return s.(*engine.Script).Run(c.ctx, c.c, keys, keysAndArgs[len(keys):]...)
	})
	switch {
	case err != nil || v.IsNil():
		return nil, err
	case v.Kind() == engine.KindInt:
		return v.Int()
	}
	return v.Text(), nil
}

// ScriptLoad implements redis.Conn.
func (c *conn) ScriptLoad(script *redis.Script) error {
	v, err := c.do("SCRIPT", "LOAD", script.Src)
	if err == nil {
		script.Hash = v.Text()
	}
	return err
}

// Close implements redis.Conn.
func (c *conn) Close() error { return nil }
