package goredis

import (
	"context"
	"net"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/resp"
)

// NewClient returns a go-redis client of e, an engine in this program, without a socket. Everything
// that a connection to a server can do works: pipelines, transactions, publish and subscribe,
// blocking commands, client-side caching. Close the client before the engine; after the engine is
// closed, its calls return errors.
//
// Calls end at the deadline of their context (ContextTimeoutEnabled), as those of a client that
// [Open] returns. There is no other time-out, because there is no network that could be slow. Each
// configure can change the options of go-redis; a ReadTimeout of -2 lets a call wait past its
// deadline. NewClient sets Dialer, Addr and Network itself.
//
// In a bubble of testing/synctest no caller may have to wait for a free connection: it would use a
// timer from a pool that all clients of go-redis share, and Go ends the process when such a timer
// is used outside of its bubble. There the default PoolSize is 16384. A PoolSize that you set, and
// that of a client made outside of the bubble, must be at least the number of concurrent callers.
func NewClient(e *engine.Engine, configure ...func(*redis.Options)) *redis.Client {
	o := &redis.Options{
		ReadTimeout: -1, WriteTimeout: -1, ContextTimeoutEnabled: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if goroutine.InBubble() {
		o.PoolSize = 1 << 14
	}
	for _, f := range configure {
		f(o)
	}
	server := resp.NewServer(e, resp.Options{})
	o.Network, o.Addr = "memory", "engine"
	o.Dialer = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	return redis.NewClient(o)
}
