package resp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
)

// crowd is a server of a real engine with misbehaving clients. The clients give up after 30
// seconds.
type crowd struct {
	t      *testing.T
	e      *engine.Engine
	server *resp.Server
	l      net.Listener
	served chan error
}

func newCrowd(t *testing.T, addr string, o resp.Options, config map[string]string) *crowd {
	t.Helper()
	e, err := engine.New(engine.Options{Config: config})
	require.NoError(t, err)
	l, err := resp.Listen(addr)
	require.NoError(t, err)
	c := &crowd{t: t, e: e, server: resp.NewServer(e, o), l: l, served: make(chan error, 1)}
	go func() { c.served <- c.server.Serve(l) }()
	return c
}

// end closes the server, and asserts that it leaves no goroutine.
func (c *crowd) end() {
	c.t.Helper()
	require.NoError(c.t, c.server.Close())
	require.ErrorIs(c.t, <-c.served, resp.ErrServerClosed)
	require.NoError(c.t, c.e.Check(context.Background()))
	require.NoError(c.t, c.e.Close())
	goleak.VerifyNone(c.t, goleak.IgnoreCurrent())
}

func (c *crowd) dial() net.Conn {
	c.t.Helper()
	nc, err := net.Dial(c.l.Addr().Network(), c.l.Addr().String())
	require.NoError(c.t, err)
	require.NoError(c.t, nc.SetDeadline(patience.Deadline()))
	c.t.Cleanup(func() { nc.Close() })
	return nc
}

// ask sends commands, each a line of words, in one write and returns the replies.
func (c *crowd) ask(nc net.Conn, lines ...string) (replies []engine.Value) {
	c.t.Helper()
	c.send(nc, lines...)
	d := resp.NewDecoder(nc)
	for range lines {
		v, err := d.Decode()
		require.NoError(c.t, err)
		replies = append(replies, v)
	}
	return replies
}

func (c *crowd) send(nc net.Conn, lines ...string) {
	c.t.Helper()
	var b []byte
	for _, line := range lines {
		b = resp.AppendCommand(b, strings.Fields(line)...)
	}
	_, err := nc.Write(b)
	require.NoError(c.t, err)
}

// clients waits until n clients are connected.
func (c *crowd) clients(n int) {
	c.t.Helper()
	for {
		v, err := c.e.Do(context.Background(), "CLIENT", "LIST")
		require.NoError(c.t, err)
		if strings.Count(v.Text(), "\n") == n {
			return
		}
	}
}

func TestAClientThatSendsAByteAtATime(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{}, nil)
	defer c.end()
	nc, other := c.dial(), c.dial()
	for _, b := range append(resp.AppendCommand(nil, "SET", "k", "value"), "GET k\r\n"...) {
		_, err := nc.Write([]byte{b})
		require.NoError(t, err)
		require.Equal(t, "PONG", c.ask(other, "PING")[0].Text())
	}
	want := "+OK\r\n$5\r\nvalue\r\n"
	got := make([]byte, len(want))
	_, err := io.ReadFull(nc, got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// TestAClientThatNeverStopsDoesNotStarveOthers has a client that sends requests without a pause,
// while others send commands.
func TestAClientThatNeverStopsDoesNotStarveOthers(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{}, nil)
	defer c.end()
	greedy := c.dial()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(io.Discard, greedy) })
	wg.Go(func() {
		many := []byte(strings.Repeat("INCR n\r\n", 10_000))
		for {
			if _, err := greedy.Write(many); err != nil {
				return
			}
		}
	})
	other := c.dial()
	for range tier.Amount(200, 1000) {
		c.ask(other, "PING")
	}
	for c.ask(other, "GET n")[0].IsNil() {
	}
	greedy.Close()
	wg.Wait()
	c.clients(1)
}

func TestAClientThatReadsNothingWaitsAlone(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{MaxOutput: 1 << 20}, nil)
	defer c.end()
	other := c.dial()
	c.ask(other, "SET big "+strings.Repeat("x", 1<<20))
	lazy := c.dial()
	for range 50 { // 50 MB of replies: more than the sockets and the server hold
		c.send(lazy, "GET big", "INCR n")
	}
	for range 1000 {
		c.ask(other, "PING")
	}
	d := resp.NewDecoder(lazy)
	for i := range 50 {
		v, err := d.Decode()
		require.NoError(t, err)
		require.Len(t, v.Text(), 1<<20)
		v, err = d.Decode()
		require.NoError(t, err)
		require.Equal(t, int64(i+1), v.MustInt())
	}
	c.ask(lazy, "PING") // and continues like any other
}

// TestAClientThatDisconnectsWhileACommandIsBlocked has a request after the blocked command that
// is left for a later batch.
func TestAClientThatDisconnectsWhileACommandIsBlocked(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{}, nil)
	defer c.end()
	other := c.dial()
	nc := c.dial()
	c.send(nc, "BLPOP k 0", "CONFIG GET port", "ECHO behind")
	require.Equal(t, int64(1), c.ask(other, "RPUSH k v")[0].MustInt())
	d := resp.NewDecoder(nc)
	for range 3 {
		_, err := d.Decode()
		require.NoError(t, err)
	}
	c.send(nc, "BLPOP k 0", "CONFIG GET port")
	require.NoError(t, nc.(*net.TCPConn).CloseWrite())
	_, err := nc.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	c.clients(1)
}

func TestAClientThatNeverReadsIsDropped(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{MaxOutput: 1, SlowTimeout: 1}, nil)
	defer c.end()
	lazy := c.dial()
	big := resp.AppendCommand(nil, "ECHO", strings.Repeat("x", 1<<20))
	for {
		if _, err := lazy.Write(big); err != nil {
			break
		}
	}
	c.clients(0)
}

func TestLargeRequestsAndReplies(t *testing.T) {
	c := newCrowd(t, filepath.Join(t.TempDir(), "s"), resp.Options{}, nil)
	defer c.end()
	nc := c.dial()
	value := strings.Repeat("0123456789abcdef", 1<<19) // 8 MB
	got := c.ask(nc, "SET k "+value, "GET k", "STRLEN k", "LRANGE none 0 -1")
	require.Equal(t, value, got[1].Text())
	require.Equal(t, int64(len(value)), got[2].MustInt())
}

// TestOthersAreServedWhileAScriptIsBusy has scripts in the middle of pipelines, new clients,
// clients that disconnect, and push messages, while endless scripts run.
func TestOthersAreServedWhileAScriptIsBusy(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{}, map[string]string{"busy-reply-threshold": "2"})
	defer c.end()
	control := c.dial()
	for range 20 {
		busy, queued := c.dial(), c.dial()
		c.send(busy, "INCR n", "EVAL while(1)do(tostring)(1)end 0", "INCR n")
		for !strings.HasPrefix(c.ask(control, "GET n")[0].Text(), "BUSY") {
		}
		for range 3 {
			nc := c.dial()
			require.Contains(t, c.ask(nc, "GET n")[0].Text(), "BUSY")
			nc.Close()
		}
		c.send(busy, "INCR n") // is read after the script has ended
		require.Contains(t, c.ask(queued, "EVAL return(1) 0")[0].Text(), "BUSY")
		require.Equal(t, "OK", c.ask(control, "SCRIPT KILL")[0].Text())
		d := resp.NewDecoder(busy)
		var got []string
		for range 4 {
			v, err := d.Decode()
			require.NoError(t, err)
			got = append(got, strings.TrimSuffix(string(resp.Append(nil, v, 2)), "\r\n"))
		}
		require.Contains(t, got[1], "Script killed by user")
		require.Equal(t, []string{":1", ":2", ":3"}, []string{got[0], got[2], got[3]})
		require.Equal(t, "OK", c.ask(control, "FLUSHALL")[0].Text())
		busy.Close()
		queued.Close()
	}
	c.clients(1)
}

// TestCloseEndsConnectionsInEveryState closes a server with connections that are idle, blocked,
// subscribed, in WATCH, within a request, not reading, or running an endless script.
func TestCloseEndsConnectionsInEveryState(t *testing.T) {
	for _, shutdown := range []bool{false, true} {
		t.Run(fmt.Sprintf("shutdown %v", shutdown), func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			c := newCrowd(t, "127.0.0.1:0", resp.Options{}, map[string]string{"busy-reply-threshold": "2"})
			var all []net.Conn
			for _, lines := range [][]string{
				{"PING"}, {"PING", "BLPOP k 0", "SET done 1"}, {"SUBSCRIBE c"}, {"WATCH k"}, {"MULTI"}, {"CLIENT ID", "MONITOR"},
			} {
				nc := c.dial()
				c.send(nc, lines...)
				_, err := resp.NewDecoder(nc).Decode()
				require.NoError(t, err)
				all = append(all, nc)
			}
			half := c.dial()
			_, err := half.Write([]byte("*2\r\n$4\r\nECHO\r\n$3\r\na"))
			require.NoError(t, err)
			busy := c.dial()
			c.send(busy, "EVAL while(1)do(tostring)(1)end 0")
			for !strings.HasPrefix(c.ask(all[0], "GET n")[0].Text(), "BUSY") {
			}
			ended := make(chan error, 1)
			go func() {
				if shutdown {
					ended <- c.server.Shutdown(context.Background())
				} else {
					ended <- c.server.Close()
				}
			}()
			_, err = all[0].Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF) // while the script still runs
			_, err = c.e.Do(context.Background(), "SCRIPT", "KILL")
			require.NoError(t, err)
			require.NoError(t, <-ended)
			require.ErrorIs(t, <-c.served, resp.ErrServerClosed)
			rest, err := io.ReadAll(busy)
			if shutdown {
				require.NoError(t, err)
				require.Contains(t, string(rest), "Script killed by user")
			}
			for _, nc := range append(all, half) {
				_, _ = io.Copy(io.Discard, nc)
			}
			c.clients(0)
			v, err := c.e.Do(context.Background(), "EXISTS", "done")
			require.NoError(t, err)
			require.Zero(t, v.MustInt())
			require.NoError(t, c.e.Close())
			goleak.VerifyNone(t, before)
		})
	}
}

// TestClientsThatAreKilledInTheMiddleOfATurn kills all clients repeatedly while they send.
func TestClientsThatAreKilledInTheMiddleOfATurn(t *testing.T) {
	c := newCrowd(t, filepath.Join(t.TempDir(), "s"), resp.Options{}, nil)
	defer c.end()
	over := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				nc, err := net.Dial(c.l.Addr().Network(), c.l.Addr().String())
				if err != nil {
					assert.NoError(t, err)
					return
				}
				var b []byte
				switch (i + n) % 4 {
				case 0:
					b = resp.AppendCommand(b, "BLPOP", "none", "0")
				case 1:
					b = resp.AppendCommand(b, "SUBSCRIBE", "c")
				case 2:
					b = resp.AppendCommand(resp.AppendCommand(b, "PUBLISH", "c", "m"), "EVAL", "return redis.call('INCR', 'n')", "0")
				case 3:
					b = append(b, "*1\r\n$4\r\nPI"...)
				}
				_, _ = nc.Write(b)
				if n%3 > 0 { // otherwise it disconnects by itself
					_, _ = io.Copy(io.Discard, nc)
				}
				nc.Close()
			}
		})
	}
	killer := c.dial()
	for range 300 {
		c.ask(killer, "CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub", "FLUSHALL", "PING")
	}
	close(over)
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
			c.ask(killer, "CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub")
		}
	}
	c.clients(1)
}

// TestServeReturnsWhenItsListenerIsClosed closes the listener outside the server.
func TestServeReturnsWhenItsListenerIsClosed(t *testing.T) {
	c := newCrowd(t, "127.0.0.1:0", resp.Options{}, nil)
	nc := c.dial()
	c.ask(nc, "PING")
	require.NoError(t, c.l.Close())
	require.ErrorIs(t, <-c.served, net.ErrClosed)
	c.ask(nc, "PING")
	require.NoError(t, c.server.Close())
	require.NoError(t, c.e.Close())
}
