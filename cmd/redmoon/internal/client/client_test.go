package client

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// server starts redmoon's own server and returns its address.
func server(t *testing.T, o engine.Options) string {
	e, err := engine.New(o)
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, e.Close())
	})
	return l.Addr().String()
}

func TestParseTarget(t *testing.T) {
	c, err := parse("redis://ann:s%40crt@example.com/3")
	require.NoError(t, err)
	require.Equal(t, "example.com:6379", c.addr)
	require.Equal(t, [][]string{{"AUTH", "ann", "s@crt"}, {"SELECT", "3"}}, c.hello)
	c, err = parse("redis://:pw@[::1]:7000")
	require.NoError(t, err)
	require.Equal(t, "[::1]:7000", c.addr)
	require.Equal(t, [][]string{{"AUTH", "pw"}}, c.hello)
	for _, bad := range []string{"localhost:6379", "rediss://x", "redis://", "redis://x/db", "%"} {
		_, err := parse(bad)
		require.Error(t, err, bad)
	}
}

func TestScriptIsSentOnceAndThenNamed(t *testing.T) {
	ctx := context.Background()
	c, err := New(ctx, "redis://"+server(t, engine.Options{}), 4)
	require.NoError(t, err)
	defer c.Close()
	script := engine.NewScript("return {KEYS[1], ARGV[1], #KEYS}")
	for range 2 {
		v, err := c.RunScript(ctx, script, []string{"k"}, []string{"a"})
		require.NoError(t, err)
		require.Equal(t, []string{"k", "a", "1"}, v.Strings())
	}
	_, err = c.RunScript(ctx, engine.NewScript("return {err='OOPS it'}"), nil, nil)
	require.ErrorIs(t, err, &engine.Error{Code: "OOPS"})
}

func TestErrorRepliesLeaveTheConnectionInUse(t *testing.T) {
	ctx := context.Background()
	c, err := New(ctx, "redis://"+server(t, engine.Options{}), 1)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Do(ctx, "NOSUCH")
	require.ErrorIs(t, err, &engine.Error{Code: "ERR"})
	require.Len(t, c.idle, 1)
	v, err := c.Do(ctx, "PING")
	require.NoError(t, err)
	require.Equal(t, "PONG", v.Text())
}

func TestCancelledCallsDoNotDisturbOthers(t *testing.T) {
	c, err := New(context.Background(), "redis://"+server(t, engine.Options{}), 4)
	require.NoError(t, err)
	defer c.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				if v, err := c.Do(ctx, "ECHO", "mine"); err == nil && v.Text() != "mine" {
					t.Errorf("reply of another call: %q", v.Text())
				} else if err != nil && err != context.Canceled {
					t.Errorf("unexpected error: %v", err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
}

func TestPasswordIsGiven(t *testing.T) {
	addr := server(t, engine.Options{Config: map[string]string{"requirepass": "pw"}})
	ctx := context.Background()
	_, err := New(ctx, "redis://:wrong@"+addr, 1)
	require.ErrorContains(t, err, "AUTH: WRONGPASS")
	c, err := New(ctx, "redis://:pw@"+addr, 1)
	require.NoError(t, err)
	require.NoError(t, c.Close())
}
