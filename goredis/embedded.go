package goredis

import (
	"context"
	"net"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/goroutine"
	"github.com/redmoon-lua/redmoon/resp"
)

// NewClient returns a go-redis client whose connections lead to e, an engine in this program,
// without a socket. Everything that a connection to a server can do works: pipelines, transactions,
// publish and subscribe, commands that wait, client-side caching. Close it before the engine. After
// the engine is closed its calls fail.
//
// configure changes the options. ReadTimeout and WriteTimeout are off by default, because there is
// no network that could be slow. Dialer, Addr and Network are set last and cannot be changed.
//
// In a bubble of testing/synctest the default PoolSize is 16384, so no caller waits for a
// connection. A caller that waits uses a timer from a pool that go-redis shares between clients,
// and Go ends the process when such a timer leaves its bubble. For the same reason, a client that
// is used in several bubbles needs a PoolSize of at least the number of concurrent callers.
func NewClient(e *engine.Engine, configure ...func(*redis.Options)) *redis.Client {
	o := &redis.Options{
		ReadTimeout: -2, WriteTimeout: -2,
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
