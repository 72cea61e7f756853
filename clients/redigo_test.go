package clients

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

func openRedigo(p *play, addr string, options ...redis.DialOption) redis.Conn {
	c, err := redis.Dial("tcp", addr, options...)
	require.NoError(p, err)
	p.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRedigo(t *testing.T) {
	onBoth(t, func(p *play) {
		addr := p.server()
		c := openRedigo(p, addr)
		do := func(args ...any) any {
			v, err := c.Do(args[0].(string), args[1:]...)
			p.line(fmt.Sprintf("%q: %q %v", args, v, err))
			return v
		}
		do("SET", binary, []byte(binary))
		do("GET", binary)
		do("GET", "nothing")
		do("LPUSH", binary, 1)
		do("HSET", redis.Args{"h"}.AddFlat(map[string]string{"a": "1"})[0], "a", 1, "b", 0.5)
		m, err := redis.StringMap(c.Do("HGETALL", "h"))
		p.say("map", m, err)
		do("EVAL", "return {1, 'x', false, {ok='FINE'}, {err='MINE it is'}}", 0)
		do("NO-SUCH-COMMAND")
		do("DEBUG", "SLEEP", "x")

		// Sent together, received one by one.
		const many = 10000
		for i := range many {
			require.NoError(p, c.Send("RPUSH", "l", i))
		}
		require.NoError(p, c.Flush())
		for i := range many {
			n, err := redis.Int(c.Receive())
			require.NoError(p, err)
			require.Equal(p, i+1, n)
		}
		require.NoError(p, c.Send("MULTI"))
		require.NoError(p, c.Send("LLEN", "l"))
		require.NoError(p, c.Send("INCR", "l"))
		do("EXEC")
		script := redis.NewScript(1, "return {KEYS[1], ARGV[1]}")
		v, err := redis.Strings(script.Do(c, "k", binary))
		p.say("script", v, err)

		// Names, databases and passwords are given at the start.
		name, err := redis.String(openRedigo(p, addr, redis.DialDatabase(3), redis.DialClientName("moon")).Do("CLIENT", "INFO"))
		p.say("info", clientFields(name), err)
		_, err = redis.Dial("tcp", addr, redis.DialPassword("secret"))
		p.say("password", err)

		// A time-out of the caller's ends the connection; a time-out of the command does not.
		waiting := openRedigo(p, addr)
		v2, err := redis.DoWithTimeout(waiting, patience.Limit, "BLPOP", "none", "0.05")
		p.say("in vain", v2, err)
		_, err = redis.DoWithTimeout(waiting, 20*time.Millisecond, "BLPOP", "none", 0)
		require.Error(p, err)
		require.Error(p, waiting.Err())
		until(p, "its client is gone", func() bool {
			n, err := c.Do("CLIENT", "LIST", "TYPE", "normal")
			s, err := redis.String(n, err)
			require.NoError(p, err)
			return !strings.Contains(s, "cmd=blpop")
		})
	})
}

func TestRedigoMessages(t *testing.T) {
	onBoth(t, func(p *play) {
		addr := p.server()
		c := openRedigo(p, addr)
		sub := redis.PubSubConn{Conn: openRedigo(p, addr)}
		require.NoError(p, sub.Subscribe("news", "sport"))
		require.NoError(p, sub.PSubscribe("n*"))
		next := func() any {
			v := sub.ReceiveWithTimeout(patience.Limit)
			p.line(fmt.Sprintf("%T %q", v, v))
			return v
		}
		for range 3 {
			next()
		}
		n, err := c.Do("PUBLISH", "news", binary)
		p.say("publish", n, err)
		next()
		next()
		require.NoError(p, sub.Ping("hello"))
		next()
		n, err = sub.Conn.Do("GET", "k") // receives before it is answered
		p.say("while subscribed", n, err)
		_, err = c.Do("CLIENT", "KILL", "TYPE", "pubsub")
		require.NoError(p, err)
		require.Error(p, next().(error))
	})
}

func TestRedigoPool(t *testing.T) {
	onBoth(t, func(p *play) {
		addr := p.server()
		pool := &redis.Pool{MaxActive: 4, MaxIdle: 4, Wait: true,
			Dial:         func() (redis.Conn, error) { return redis.Dial("tcp", addr) },
			TestOnBorrow: func(c redis.Conn, _ time.Time) error { _, err := c.Do("PING"); return err },
		}
		defer pool.Close()
		do := func(args ...any) (any, error) {
			c := pool.Get()
			defer c.Close()
			return c.Do(args[0].(string), args[1:]...)
		}
		errs := make(chan error, 8)
		for range cap(errs) {
			go func() {
				var err error
				for range 200 {
					_, e := do("INCR", "n")
					err = errors.Join(err, e)
				}
				errs <- err
			}()
		}
		for range cap(errs) {
			require.NoError(p, receive(p, errs))
		}
		n, err := do("GET", "n")
		p.say("n", n, err)
		_, err = do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		require.NoError(p, err)
		for range 20 {
			_, err = do("PING")
			require.NoError(p, err)
		}
	})
}
