package goredistest

import (
	"context"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// StepClient returns a go-redis client for a client of [redmoontest.Explore]: code that uses
// go-redis is explored as it is. Each command is a step, also each command of a pipeline, between
// which other clients may run on a server; a transaction (TxPipelined) is one step. Subscriptions
// do not work. The client is closed when c has ended.
func StepClient(c *redmoontest.StepClient, configure ...func(*redis.Options)) *redis.Client {
	rdb := goredis.NewClient(c.Engine().Engine, configure...)
	rdb.AddHook(stepHook{c})
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// stepHook makes each command a step of c.
type stepHook struct{ c *redmoontest.StepClient }

func (h stepHook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h stepHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return h.step(cmd.Name(), func() error { return next(ctx, cmd) })
	}
}

func (h stepHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if len(cmds) > 0 && strings.EqualFold(cmds[0].Name(), "multi") {
			return h.step("multi", func() error { return next(ctx, cmds) })
		}
		var first error
		for i := range cmds {
			err := h.step(cmds[i].Name(), func() error { return next(ctx, cmds[i:i+1]) })
			if first == nil {
				first = err
			}
		}
		return first
	}
}

// step runs f as a step. If the order has ended it returns that error.
func (h stepHook) step(name string, f func() error) (err error) {
	if over := h.c.Atomic(name, func() { err = f() }); over != nil {
		return over
	}
	return err
}
