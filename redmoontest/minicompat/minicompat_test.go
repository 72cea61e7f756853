package miniredis_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	miniredis "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// client sends commands on a connection and returns the replies as text.
type client struct {
	t  *testing.T
	nc net.Conn
	d  *resp.Decoder
}

func newClient(t *testing.T, nc net.Conn, err error) *client {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	return &client{t, nc, resp.NewDecoder(nc)}
}

// dial connects to a started server over a socket.
func dial(t *testing.T, m *miniredis.Miniredis) *client {
	t.Helper()
	nc, err := net.Dial("tcp", m.Addr())
	return newClient(t, nc, err)
}

func (c *client) do(command string) string {
	c.t.Helper()
	_, err := c.nc.Write(resp.AppendCommand(nil, strings.Fields(command)...))
	require.NoError(c.t, err)
	return c.read()
}

func (c *client) read() string {
	c.t.Helper()
	v, err := c.d.Decode()
	require.NoError(c.t, err)
	return v.String()
}

func TestLife(t *testing.T) {
	m := miniredis.NewMiniRedis()
	require.NoError(t, m.Set("before", "1"), "data can be set before the start")
	m.SetTTL("before", time.Minute)
	require.Nil(t, m.Engine())
	require.Nil(t, m.Server())
	require.Empty(t, m.Addr())
	require.False(t, m.IsReadOnlyCommand("GET"))

	require.NoError(t, m.Start())
	addr, ctx := m.Addr(), m.Ctx
	require.Equal(t, addr, m.Host()+":"+m.Port())
	c := dial(t, m)
	require.Equal(t, `"1"`, c.do("GET before"))
	sha := strings.Trim(c.do("SCRIPT LOAD return(7)"), `"`)
	require.Error(t, m.Start(), "the address is in use")
	v, err := m.Engine().Eval(context.Background(), "return redis.call('GET', KEYS[1])", []string{"before"})
	require.NoError(t, err)
	require.Equal(t, "1", v.Text())

	m.Close()
	m.Close()
	require.Error(t, ctx.Err())
	_, err = net.Dial("tcp", addr)
	require.Error(t, err)
	require.Equal(t, time.Minute, m.TTL("before"), "data stays after Close")
	m.FastForward(20 * time.Second)
	require.NoError(t, m.Set("closed", "2"))

	require.NoError(t, m.Restart())
	defer m.Close()
	require.Equal(t, addr, m.Addr())
	require.NoError(t, m.Ctx.Err())
	require.Equal(t, []string{"before", "closed"}, m.Keys())
	require.Equal(t, 40*time.Second, m.TTL("before"))
	require.Equal(t, "(integer) 7", dial(t, m).do("EVALSHA "+sha+" 0"))
	require.Equal(t, 1, m.CommandCount(), "counts begin again")
}

// After Close no goroutine is left.
func TestNoGoroutinesAfterClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		m, err := miniredis.Run()
		require.NoError(t, err)
		nc, err := net.Dial("tcp", m.Addr())
		require.NoError(t, err)
		sub := m.NewSubscriber()
		sub.Subscribe("c")
		require.Equal(t, 1, m.Publish("c", "nobody reads this"))
		m.Close()
		sub.Close()
		_ = nc.Close()
		require.True(t, m.Set("k", "v") == nil && m.Exists("k"))
	}
	patience.Until(t, func() bool { return runtime.NumGoroutine() <= before }, "goroutines are left")
}

func TestSetErrorBeforeTheStart(t *testing.T) {
	m := miniredis.NewMiniRedis()
	m.SetError("LOADING wait")
	require.NoError(t, m.Start())
	defer m.Close()
	c := dial(t, m)
	require.Equal(t, "(error) LOADING wait", c.do("PING"))
	m.SetError("")
	require.Equal(t, "PONG", c.do("PING"))
}

// Clients that have not authenticated must do so, even if they were connected before.
func TestAuthentication(t *testing.T) {
	m := miniredis.RunT(t)
	old := dial(t, m)
	require.Equal(t, "PONG", old.do("PING"))
	m.RequireAuth("secret")
	fresh := dial(t, m)
	for _, c := range []*client{old, fresh} {
		require.Equal(t, "(error) NOAUTH Authentication required.", c.do("PING"))
		require.Contains(t, c.do("AUTH wrong"), "WRONGPASS")
		require.Equal(t, "OK", c.do("AUTH secret"))
		require.Equal(t, "PONG", c.do("PING"))
	}
	m.RequireUserAuth("ann", "hers")
	require.Equal(t, "PONG", old.do("PING"))
	ann := dial(t, m)
	require.Contains(t, ann.do("HELLO 2 AUTH ann hers"), "server")
	require.Equal(t, "OK", ann.do("SET k v"))
	m.RequireAuth("")
	require.Contains(t, dial(t, m).do("AUTH secret"), "WRONGPASS", "only ann can authenticate")
	require.Contains(t, dial(t, m).do("PING"), "NOAUTH")
	m.RequireUserAuth("ann", "")
	require.Equal(t, "PONG", dial(t, m).do("PING"))
	require.Equal(t, "PONG", old.do("PING"))
}

// Methods work whatever the clients may do.
func TestMethodsHaveAllRights(t *testing.T) {
	m := miniredis.RunT(t)
	require.Equal(t, "OK", dial(t, m).do("ACL SETUSER default -@all"))
	m.SetError("ERR no")
	require.NoError(t, m.Set("k", "v"))
}

func TestHooks(t *testing.T) {
	m := miniredis.RunT(t)
	var mu sync.Mutex
	var seen []string
	m.Server().SetPreHook(func(c *server.Peer, cmd string, args ...string) bool {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, cmd)
		if cmd == "HSET" {
			c.WriteError("OOM no")
			return true
		}
		return false
	})
	c := dial(t, m)
	require.Equal(t, "OK", c.do("set k v"))
	require.Equal(t, "(error) OOM no", c.do("HSET h f v"))
	require.Contains(t, c.do("EVAL redis.call('HSET','h','f','v') 0"), "OOM no", "the hook sees the commands of scripts")
	require.False(t, m.Exists("h"))
	require.Equal(t, []string{"SET", "HSET", "EVAL", "HSET"}, seen)
	m.Server().SetPreHook(func(c *server.Peer, cmd string, _ ...string) bool {
		c.WriteOK()
		return cmd == "GET"
	})
	require.Contains(t, c.do("EVAL return(redis.call('GET','k')) 0"), "OK")
	require.Contains(t, c.read(), "a hook can only refuse the commands of scripts")
	m.Server().SetPreHook(nil)
	require.Equal(t, `"v"`, c.do("GET k"))
}

func TestCommandsOfTheTest(t *testing.T) {
	m := miniredis.RunT(t)
	s := m.Server()
	gone := make(chan struct{})
	require.NoError(t, s.Register("easter", func(c *server.Peer, cmd string, args []string) {
		c.OnDisconnect(func() { close(gone) })
		c.Block(func(w *server.Writer) {
			w.WriteMapLen(1)
			w.WriteBulk(cmd)
			w.WriteStrings(args)
		})
	}, server.ReadOnlyOption()))
	require.NoError(t, s.Register("TWICE", func(c *server.Peer, _ string, args []string) {
		c.WriteLen(2)
		s.Dispatch(c, []string{"INCR", args[0]})
		s.Dispatch(c, []string{"NOSUCH"})
	}))
	require.NoError(t, s.Register("BYE", func(c *server.Peer, _ string, _ []string) {
		c.WriteNull()
		c.Close()
	}))
	require.NoError(t, s.Register("CONFIG", func(c *server.Peer, _ string, _ []string) { c.WriteFloat(1.5) }), "miniredis does not have it")
	require.EqualError(t, s.Register("EASTER", nil), "command already registered: EASTER")
	require.EqualError(t, s.Register("get", nil), "command already registered: GET")
	require.True(t, s.IsRegisteredCommand("easter") && s.IsReadOnlyCommand("Easter") && s.IsRegisteredCommand("GET"))
	require.False(t, s.IsRegisteredCommand("nosuch"))

	c := dial(t, m)
	require.Equal(t, "1) \"EASTER\"\n2) 1) \"a\"\n   2) \"b\"", c.do("easter a b"))
	require.Equal(t, "1) (integer) 1\n2) (error) ERR unknown command 'NOSUCH', with args beginning with: ", c.do("TWICE n"))
	require.Equal(t, `"1.5"`, c.do("CONFIG GET save"))
	c.do("HELLO 3")
	require.Equal(t, "(double) 1.5", c.do("CONFIG GET save"))
	require.Equal(t, "(nil)", c.do("BYE"))
	_, err := c.d.Decode()
	require.Error(t, err)
	<-gone
	require.Equal(t, 6+1, m.CommandCount(), "five of the test, HELLO, INCR")
}

// While the test holds the lock, commands of clients wait, and methods do not.
func TestLock(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	c.do("SET k 1")
	m.Lock()
	_, err := c.nc.Write([]byte("INCR k\r\n"))
	require.NoError(t, err)
	for range 100 {
		v, err := m.Get("k")
		require.NoError(t, err)
		require.Equal(t, "1", v)
	}
	m.Unlock()
	require.Equal(t, "(integer) 2", c.read())
}

// A method serves a client that waits.
func TestMethodsServeWaitingClients(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	_, err := c.nc.Write([]byte("BLPOP l 0\r\n"))
	require.NoError(t, err)
	for other := dial(t, m); !strings.Contains(other.do("INFO clients"), "blocked_clients:1"); {
	}
	_, err = m.Push("l", "x")
	require.NoError(t, err)
	require.Equal(t, "1) \"l\"\n2) \"x\"", c.read())
	require.False(t, m.Exists("l"))
}

func TestSubscribers(t *testing.T) {
	m := miniredis.RunT(t)
	sub := m.NewSubscriber()
	require.Equal(t, 1, sub.Subscribe("news"))
	require.Equal(t, 2, sub.Psubscribe("n*"))
	require.Equal(t, []string{"news"}, sub.Channels())
	require.Equal(t, []string{"n*"}, sub.Patterns())
	require.Equal(t, []string{"news"}, m.PubSubChannels(""))
	require.Equal(t, map[string]int{"news": 1, "other": 0}, m.PubSubNumSub("news", "other"))
	require.Equal(t, 1, m.PubSubNumPat())

	require.Equal(t, "(integer) 2", dial(t, m).do("PUBLISH news hello"))
	require.Equal(t, miniredis.PubsubMessage{Channel: "news", Message: "hello"}, <-sub.Messages())
	require.Equal(t, miniredis.PubsubPmessage{Pattern: "n*", Channel: "news", Message: "hello"}, <-sub.Pmessages())

	m.Close()
	require.NoError(t, m.Restart())
	require.Equal(t, 1, sub.Unsubscribe("news"), "subscriptions outlive a restart")
	require.Equal(t, 1, m.Publish("nine", "x"))
	require.Equal(t, "nine", (<-sub.Pmessages()).Channel)
	require.Equal(t, 0, sub.Punsubscribe("n*"))
	require.Equal(t, 0, sub.Count())
	sub.Subscribe("own")
	go func() { require.Equal(t, 1, sub.Publish("own", "y")) }()
	require.Equal(t, "y", (<-sub.Messages()).Message)
	sub.Close()
	_, open := <-sub.Messages()
	require.False(t, open)
	require.Zero(t, m.Publish("own", "z"))
}

// In a bubble of synctest, ClockTTL follows the clock of the bubble.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		defer m.Close()
		m.ClockTTL(true)
		nc, err := m.Dial()
		c := newClient(t, nc, err)
		require.Empty(t, m.Addr())
		require.Equal(t, "OK", c.do("SET k v EX 100"))
		time.Sleep(30 * time.Second)
		require.Equal(t, "(integer) 70", c.do("TTL k"))
		time.Sleep(70 * time.Second)
		require.Equal(t, "(nil)", c.do("GET k"))
		start := time.Now()
		require.Equal(t, "(nil)", c.do("BLPOP q 10"))
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// The same seed makes the same choices, also after a restart.
func TestSeed(t *testing.T) {
	draw := func() (members []string) {
		m := miniredis.RunT(t)
		for _, e := range strings.Fields("a b c d e f g h") {
			_, err := m.ZAdd("z", 1, e)
			require.NoError(t, err)
		}
		m.Seed(42)
		for i := range 20 {
			if i == 10 {
				m.Close()
				require.NoError(t, m.Restart())
			}
			members = append(members, dial(t, m).do("ZRANDMEMBER z"))
		}
		return members
	}
	require.Equal(t, draw(), draw())
}

func TestMisuse(t *testing.T) {
	m := miniredis.RunT(t)
	require.PanicsWithValue(t, "miniredis: DB(64): the databases are 0 to 63", func() { m.DB(64) })
	require.Panics(t, func() { m.Select(-1) })
	require.Panics(t, func() { m.SwapDB(0, 99) })
}

func TestFollow(t *testing.T) {
	m := miniredis.NewMiniRedis()
	require.ErrorContains(t, m.Follow("redis-5"), `"redis-5" is not one of redis-7.0,`)
	require.NoError(t, m.Follow("valkey"))
	require.NoError(t, m.Start())
	defer m.Close()
	c := dial(t, m)
	require.NoError(t, m.Set("k", "v"))
	require.Equal(t, "(integer) 1", c.do("DELIFEQ k v"))
	require.Contains(t, c.do("INFO server"), "valkey_version:9")
	require.Contains(t, c.do("DELEX k"), "unknown command")
	require.False(t, m.IsReadOnlyCommand("DELIFEQ"))
	require.True(t, m.IsReadOnlyCommand("GET"))
	require.ErrorContains(t, m.Follow("redis"), "before the first use")

	plain := miniredis.RunT(t)
	require.Contains(t, dial(t, plain).do("DELIFEQ k v"), "unknown command")
	require.Contains(t, dial(t, plain).do("INFO server"), "redis_version:8.0")
}
