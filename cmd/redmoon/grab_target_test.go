package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// TestGrabGivesTheSameResultOnAllTargets runs the demonstration on one engine, on two that share
// the slots, on a redis-server by each of its addresses, and on a Redis Cluster of three masters.
// The audits must be equal.
func TestGrabGivesTheSameResultOnAllTargets(t *testing.T) {
	redistest.Need(t)
	server, err := redistest.Start("--unixsocket", "socket")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	cluster, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(cluster.Stop)
	sentinel, err := redistest.StartSentinel("m", server, time.Minute, 1)
	require.NoError(t, err)
	t.Cleanup(sentinel.Stop)
	targets := [][]string{
		nil,
		{"--shards", "2"},
		{"--target", "redis://" + server.Addr},
		{"--target", "unix://" + server.Dir + "/socket"},
		{"--target", "redis+sentinel://" + sentinel.Addr + "?master_name=m"},
		{"--target", "redis+cluster://" + cluster.Masters[0].Addr + "?addr=" + cluster.Masters[1].Addr},
	}
	for _, args := range []string{
		"--packets 600 --activities 12 --total 1,000.00",
		"--packets 250 --users 100 --activities 6 --total 1,000.00 --equal --expire",
		"--packets 300 --activities 9 --cancel",
	} {
		want := ""
		for _, target := range targets {
			var stdout, stderr bytes.Buffer
			std := &streams{out: &stdout, err: &stderr, interruptible: context.Background()}
			code := std.main(append(append([]string{"grab"}, strings.Fields(args)...), target...))
			require.Zero(t, code, "%s %v\n%s%s", args, target, &stdout, &stderr)
			audit := strings.Join(regexp.MustCompile(`(?m)^audit .*$`).FindAllString(stdout.String(), -1), "\n")
			require.GreaterOrEqual(t, strings.Count(audit, "  ok  "), 6)
			if want == "" {
				want = audit
			}
			require.Equal(t, want, audit, "%s %v", args, target)
		}
	}
	for _, s := range append(cluster.Masters, server) {
		v, err := s.Do("DBSIZE")
		require.NoError(t, err)
		require.Zero(t, v.MustInt(), "keys are left on %s", s.Addr)
	}
}
