package goredis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// cutter passes connections on to a server. While cuts is positive it drops, instead of a reply,
// the connection that the reply is for.
type cutter struct {
	l    net.Listener
	cuts atomic.Int64
}

func newCutter(t *testing.T, to string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{l: l}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { c.pass(in, to) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return c
}

func (c *cutter) pass(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		_, _ = io.Copy(out, in)
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := out.Read(buf)
		if err != nil || c.cuts.Load() > 0 && c.cuts.Add(-1) >= 0 {
			break
		}
		if _, err := in.Write(buf[:n]); err != nil {
			break
		}
	}
	_ = in.Close()
	<-done
}

func TestWhatMayHaveBeenRunIsNotRepeated(t *testing.T) {
	ctx := context.Background()
	s := serverOf(t)
	c := newCutter(t, s.Addr)
	rdb := redis.NewClient(&redis.Options{Addr: c.l.Addr().String()})
	t.Cleanup(func() { _ = rdb.Close() })
	incr := engine.NewScript("return redis.call('INCR', KEYS[1])")

	client := goredis.New(rdb)
	_, err := client.RunScript(ctx, incr, []string{"k"}, nil)
	require.NoError(t, err)
	c.cuts.Store(1)
	_, err = client.RunScript(ctx, incr, []string{"k"}, nil)
	require.ErrorIs(t, err, engine.ErrUnknown)
	_, err = client.DoStrings(ctx, "PING") // on a new connection
	require.NoError(t, err)
	c.cuts.Store(1)
	_, err = client.DoStrings(ctx, "INCR", "k")
	require.ErrorIs(t, err, engine.ErrUnknown)
	v, err := client.DoStrings(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "3", v.Text(), "each was run once")

	client = goredis.New(rdb, goredis.WithRepeats())
	c.cuts.Store(1)
	v, err = client.RunScript(ctx, incr, []string{"k"}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(5), v.MustInt(), "it was run twice")
}

func serverOf(t *testing.T, args ...string) *redistest.Server {
	redistest.Need(t)
	s, err := redistest.Start(args...)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

func TestWhatWasNotSentIsNotUnknown(t *testing.T) {
	s := serverOf(t)
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr, DialerRetries: 1})
	client := goredis.New(rdb)
	s.Kill()
	_, err := client.DoStrings(context.Background(), "SET", "k", "v")
	require.Error(t, err)
	require.NotErrorIs(t, err, engine.ErrUnknown)
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	_, err = client.DoStrings(ctx, "SET", "k", "v")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, engine.ErrUnknown)

	require.NoError(t, s.Restart())
	_, err = client.DoStrings(context.Background(), "SET", "k", "v")
	require.NoError(t, err)
	require.NoError(t, rdb.Close())
	_, err = client.DoStrings(context.Background(), "SET", "k", "v")
	require.ErrorIs(t, err, engine.ErrClosed)
}

// While a server loads its data it refuses commands, and they are sent again.
func TestAServerThatIsLoadingIsWaitedFor(t *testing.T) {
	ctx := context.Background()
	s := serverOf(t, "--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024")
	for i := range 3 {
		_, err := s.Do("SET", "k"+strconv.Itoa(i), strings.Repeat("v", 4096))
		require.NoError(t, err)
	}
	loading := make(chan error, 1)
	go func() {
		_, err := s.Do("DEBUG", "RELOAD") // in a process that answers meanwhile that it is loading
		loading <- err
	}()
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	t.Cleanup(func() { _ = rdb.Close() })
	client := goredis.New(rdb)
	done := make(chan struct{})
	var calls atomic.Int64
	go func() {
		defer close(done)
		for {
			v, err := client.DoStrings(ctx, "STRLEN", "k2")
			if err != nil || v.MustInt() != 4096 {
				t.Errorf("%v %v", v, err)
			}
			calls.Add(1)
			select {
			case err := <-loading:
				if err != nil {
					t.Error(err)
				}
				return
			default:
			}
		}
	}()
	<-done
	require.NotZero(t, calls.Load())
}

func TestAScriptRunsOnceWhateverItAnswers(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := engine.NewScript("redis.call('INCR', KEYS[1]) return redis.error_reply('NOSCRIPT of my own')")
		for i := range 3 {
			_, err := p.RunScript(ctx, s, []string{"n"}, nil)
			require.ErrorContains(t, err, "NOSCRIPT of my own")
			require.Equal(t, strconv.Itoa(i+1), p.Do(t, "GET", "n").Text())
		}
		if p.Redis != nil { // the server forgets it between two calls
			p.Do(t, "SCRIPT", "FLUSH")
		}
		_, err := p.RunScript(ctx, s, []string{"n"}, nil)
		require.ErrorContains(t, err, "NOSCRIPT of my own")
		require.Equal(t, "4", p.Do(t, "GET", "n").Text())
	})
}

// A command waits for as long as it says, though the client's own read time-out is far shorter.
func TestCommandsThatWaitOutlastTheReadTimeout(t *testing.T) {
	redistest.Need(t)
	ctx := context.Background()
	s := serverOf(t)
	rc, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(rc.Stop)
	for name, open := range map[string]func(readTimeout time.Duration) redis.UniversalClient{
		"redis-server": func(d time.Duration) redis.UniversalClient {
			return redis.NewClient(&redis.Options{Addr: s.Addr, ReadTimeout: d})
		},
		"redis cluster": func(d time.Duration) redis.UniversalClient {
			return redis.NewClusterClient(&redis.ClusterOptions{Addrs: rc.Addrs(), ReadTimeout: d})
		},
		"redis ring": func(d time.Duration) redis.UniversalClient {
			return redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": s.Addr}, ReadTimeout: d})
		},
	} {
		t.Run(name, func(t *testing.T) {
			rdb := open(patience.Limit)
			t.Cleanup(func() { _ = rdb.Close() })
			c := goredis.New(rdb)
			_, err := s.Do("FLUSHALL")
			require.NoError(t, err)
			_, err = c.DoStrings(ctx, "XGROUP", "CREATE", "x", "g", "$", "MKSTREAM")
			require.NoError(t, err)
			// On a busy machine the answers to other calls, which a client makes by itself, may take longer
			// than a short read time-out.
			for short := 100 * time.Millisecond; ; short *= 3 {
				err := waitsOutlast(ctx, open(short), 3*short)
				if err == nil {
					break
				}
				require.Less(t, short, 5*time.Second, "%v", err)
			}
			_, err = c.DoStrings(ctx, "BLPOP", "none", "x")
			require.ErrorContains(t, err, "timeout is not a float")
			// One without a limit of its own ends with its context. One that was not sent before is not
			// unknown.
			for short := 200 * time.Millisecond; !errors.Is(err, engine.ErrUnknown) && short < patience.Limit; short *= 2 {
				limited, cancel := context.WithTimeout(ctx, short)
				_, err = c.DoStrings(limited, "BLPOP", "none", "0")
				cancel()
			}
			require.ErrorIs(t, err, engine.ErrUnknown)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			// An element that comes meanwhile is handed over.
			got := make(chan engine.Value, 1)
			go func() {
				v, err := c.DoStrings(ctx, "BLPOP", "later", "0")
				if err != nil {
					t.Error(err)
				}
				got <- v
			}()
			_, err = c.DoStrings(ctx, "RPUSH", "later", "x")
			require.NoError(t, err)
			require.Equal(t, []string{"later", "x"}, (<-got).Strings())
		})
	}
}

// waitsOutlast lets commands wait in vain on a client, which it closes, and returns what fails.
func waitsOutlast(ctx context.Context, rdb redis.UniversalClient, wait time.Duration) error {
	defer rdb.Close()
	c := goredis.New(rdb)
	in := strings.NewReplacer("SECONDS", fmt.Sprint(wait.Seconds()), "MILLIS", fmt.Sprint(wait.Milliseconds()))
	for _, args := range []string{
		"BLPOP none SECONDS", "BRPOP none SECONDS", "BRPOPLPUSH {n}one {n}two SECONDS", "BLMOVE {n}one {n}two LEFT RIGHT SECONDS",
		"BZPOPMIN none SECONDS", "BLMPOP SECONDS 1 none LEFT", "BZMPOP SECONDS 1 none MIN", "XREAD BLOCK MILLIS STREAMS x $",
		"XREADGROUP GROUP g me BLOCK MILLIS STREAMS x >",
	} {
		v, err := c.DoStrings(ctx, strings.Fields(in.Replace(args))...)
		if err != nil {
			return fmt.Errorf("%s: %w", args, err)
		}
		if !v.IsNil() {
			return fmt.Errorf("%s: %v", args, v)
		}
	}
	return nil
}

// Sentinel: the master is killed, the replica takes over, and calls find it.
func TestAFailoverIsFollowed(t *testing.T) {
	ctx := context.Background()
	master := serverOf(t)
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	replica := serverOf(t, "--replicaof", host+" "+port)
	sentinel, err := redistest.StartSentinel("m", master, time.Hour, 1) // before its end nobody takes it for dead
	require.NoError(t, err)
	t.Cleanup(sentinel.Stop)
	require.NoError(t, patience.Try(func() error {
		v, err := sentinel.Do("SENTINEL", "REPLICAS", "m")
		if err == nil && v.Len() != 1 {
			err = errors.New("Sentinel does not know the replica")
		}
		if err != nil {
			return err
		}
		v, err = replica.Do("INFO", "replication")
		if err == nil && !strings.Contains(v.Text(), "master_link_status:up") {
			err = errors.New("the replica is not in step")
		}
		return err
	}))
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "m", SentinelAddrs: []string{sentinel.Addr}, DialerRetries: 1})
	t.Cleanup(func() { _ = rdb.Close() })
	c := goredis.New(rdb)
	incr := engine.NewScript("return redis.call('INCR', KEYS[1])")
	for range 10 {
		_, err := c.RunScript(ctx, incr, []string{"k"}, nil)
		require.NoError(t, err)
	}
	v, err := c.DoStrings(ctx, "WAIT", "1", "5000")
	require.NoError(t, err)
	require.Equal(t, int64(1), v.MustInt())
	master.Kill()
	_, err = sentinel.Do("SENTINEL", "SET", "m", "down-after-milliseconds", "300")
	require.NoError(t, err)
	require.NoError(t, patience.Try(func() error {
		_, err := c.DoStrings(ctx, "GET", "k")
		return err
	}))
	v, err = c.RunScript(ctx, incr, []string{"k"}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(11), v.MustInt(), "on the replica, which knows neither script nor error")
	v, err = replica.Do("GET", "k")
	require.NoError(t, err)
	require.Equal(t, "11", v.Text())
}
