package goredis

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
)

// once is a command that go-redis does not send again when its connection fails.
type once struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (once) NoRetry() bool { return true }

// processor is a client of all nodes or of one node.
type processor interface {
	Process(ctx context.Context, cmd redis.Cmder) error
}

// send sends a command. It repeats that while it is certain that the command was not carried out
// and may be soon. first is the position of the first key among args; with 0 go-redis finds it.
func (c *Client) send(ctx context.Context, to processor, args []any, first int) (engine.Value, error) {
	if err := ctx.Err(); err != nil {
		return engine.Value{}, err
	}
	for pause := firstPause; ; pause *= 2 {
		cmd := redis.NewCmd(ctx, args...)
		if first > 0 && first < 128 {
			cmd.SetFirstKeyPos(int8(first))
		}
		if c.repeats {
			_ = to.Process(ctx, cmd)
		} else {
			_ = to.Process(ctx, once{cmd})
		}
		v, err := value(ctx, cmd)
		if err == nil || pause > lastPause || !passing(err) {
			return v, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return v, err
		}
	}
}

// The pauses before a command is sent again. Each is twice the one before; together they are about
// 4 seconds.
const (
	firstPause = 8 * time.Millisecond
	lastPause  = 2 * time.Second
)

// passing reports whether err means that a command was not carried out, for a reason that may pass
// soon.
func passing(err error) bool {
	var e *engine.Error
	if errors.As(err, &e) {
		switch e.Code {
		case "LOADING", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY":
			return true
		}
		return false
	}
	return dialing(err)
}

// dialing reports whether err comes from making a connection.
func dialing(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// unsent reports whether err means that go-redis sent nothing.
func unsent(err error) bool {
	return dialing(err) || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted)
}
