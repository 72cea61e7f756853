package engine_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// target listens, reads the lines of MIGRATE and calls answer with each command's name.
func target(t *testing.T, answer func(name string) string) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { nc.Close() })
			go func() {
				lines := bufio.NewScanner(nc)
				for lines.Scan() {
					if name := lines.Text(); name == "SELECT" || name == "RESTORE" {
						_, _ = nc.Write([]byte(answer(name)))
					}
				}
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

func TestCloseEndsAMigrate(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	reached := make(chan struct{}, 9)
	port := target(t, func(string) string {
		reached <- struct{}{}
		return ""
	})
	_, err = e.Do(context.Background(), "SET", "k", "v")
	require.NoError(t, err)
	ended := make(chan error)
	go func() {
		_, err := e.Do(context.Background(), "MIGRATE", "127.0.0.1", port, "k", 0, 3600_000)
		ended <- err
	}()
	<-reached
	require.NoError(t, e.Close())
	require.ErrorContains(t, <-ended, "IOERR")
}

// A script that steps back does not send its keys again.
func TestARerunDoesNotMigrateAgain(t *testing.T) {
	e, err := engine.New(engine.Options{ScriptMigrate: true})
	require.NoError(t, err)
	defer e.Close()
	var restores atomic.Int64
	port := target(t, func(name string) string {
		if name == "RESTORE" && restores.Add(1) > 2 {
			return "-BUSYKEY Target key name already exists.\r\n"
		}
		return "+OK\r\n"
	})
	src := strings.ReplaceAll(`redis.call('mset', 'a', 1, 'b', 2)
local x = {redis.call('migrate', '127.0.0.1', 'PORT', 'a', 0, 1000), redis.call('migrate', '127.0.0.1', 'PORT', 'b', 0, 1000)}
x[3] = redis.call('exists', 'a', 'b')
return x`, "PORT", port)
	runs := 0
	v, err := e.DebugScript(context.Background(), engine.NewScript(src), nil, nil, func(r *engine.DebugRun) engine.Debugger {
		if runs++; runs < 3 {
			r.Rewind()
		}
		return lines{func(*engine.Stack, int) {}}
	})
	require.NoError(t, err)
	require.Equal(t, 3, runs)
	require.EqualValues(t, 2, restores.Load())
	require.Equal(t, "OK", v.Slice()[0].Text())
	require.Equal(t, "OK", v.Slice()[1].Text())
	require.Equal(t, "0", v.Slice()[2].Text())
}
