package wild

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/stretchr/testify/require"
)

func TestComparison(t *testing.T) {
	const script = `return redis.call("SMEMBERS", KEYS[1])`
	known := scripts{}
	known.learn(request{"SCRIPT", "LOAD", script})
	plain := comparison{slack: 5 * time.Millisecond, scripts: known}
	timed := plain
	timed.times = true
	eval := request{"EVAL", "return 1", "0"}
	for i, c := range []struct {
		by        comparison
		request   request
		want, got string
		same      bool
	}{
		{plain, eval, ":1\r\n", ":1\r\n", true},
		{plain, eval, ":1\r\n", ":2\r\n", false},
		{plain, eval, ":1\r\n", "$1\r\n1\r\n", false},
		{plain, eval, "*-1\r\n", "*0\r\n", false},
		{plain, eval, ":100000\r\n", ":100001\r\n", false},
		{timed, eval, ":100000\r\n", ":100001\r\n", true},
		{timed, eval, ":100000\r\n", ":100010\r\n", false},
		{timed, eval, ":9\r\n", ":8\r\n", false},
		{timed, eval, "$8\r\n359.9990\r\n", "$7\r\n359.998\r\n", true},
		{timed, eval, "$8\r\n359.9990\r\n", "$7\r\n359.990\r\n", false},
		{timed, eval, ":1795262071265090\r\n", ":1795262071269090\r\n", true},
		{timed, eval, ":1795262071265090\r\n", ":1795262071275090\r\n", false},
		{timed, eval, "*2\r\n:1\r\n:3600000\r\n", "*2\r\n:1\r\n:3599999\r\n", true},
		{timed, eval, "*2\r\n:1\r\n:3600000\r\n", "*2\r\n:2\r\n:3600000\r\n", false},
		{plain, request{"EVALSHA", sha1Hex(script), "1", "k"}, "*2\r\n+a\r\n+b\r\n", "*2\r\n+b\r\n+a\r\n", true},
		{plain, request{"EVAL", strings.ToLower(script), "1", "k"}, "*2\r\n+a\r\n+b\r\n", "*2\r\n+b\r\n+c\r\n", false},
		{plain, eval, "*2\r\n+a\r\n+b\r\n", "*2\r\n+b\r\n+a\r\n", false},
		{plain, request{"EVAL", "return KEYS", "1", "k"}, "*2\r\n+a\r\n+b\r\n", "*2\r\n+b\r\n+a\r\n", false},
		{plain, request{"hgetall", "k"}, "*4\r\n+a\r\n+1\r\n+b\r\n+2\r\n", "*4\r\n+b\r\n+2\r\n+a\r\n+1\r\n", true},
		{plain, request{"hgetall", "k"}, "*4\r\n+a\r\n+1\r\n+b\r\n+2\r\n", "*4\r\n+b\r\n+1\r\n+a\r\n+2\r\n", false},
		{plain, request{"TIME"}, "*2\r\n$2\r\n10\r\n$6\r\n999999\r\n", "*2\r\n$2\r\n11\r\n$1\r\n5\r\n", true},
		{plain, request{"TIME"}, "*2\r\n$2\r\n10\r\n$6\r\n999999\r\n", "*2\r\n$2\r\n12\r\n$1\r\n5\r\n", false},
		{plain, request{"INFO"}, "$1\r\na\r\n", "$2\r\nab\r\n", true},
		{plain, request{"INFO"}, "$1\r\na\r\n", "-ERR\r\n", false},
	} {
		e := exchange{request: c.request, want: []byte(c.want), got: []byte(c.got)}
		require.Equal(t, c.same, c.by.same(e), "case %d: %q and %q", i, c.want, c.got)
	}
	exec := exchange{request: request{"EXEC"}, queued: []request{{"PTTL", "k"}, {"INCR", "n"}},
		want: []byte("*2\r\n:5000\r\n:7\r\n"), got: []byte("*2\r\n:5001\r\n:7\r\n")}
	require.True(t, plain.same(exec))
	exec.got = []byte("*2\r\n:5000\r\n:8\r\n")
	require.False(t, plain.same(exec))
}

// TestDifferencesAreSeen plays a program that stores what differs from server to server.
func TestDifferencesAreSeen(t *testing.T) {
	odd := Program{Name: "odd", Play: func(addr string, transcript *Transcript) error {
		c := client(addr)
		defer c.Close()
		transcript.Say("a script that no two servers answer alike", c.Eval(t.Context(), `return redis.call('set', KEYS[1], redis.sha1hex(
			string.match(redis.call('info', 'server'), 'run_id:(%w+)')))`, []string{"k"}).Err())
		return nil
	}}
	o, err := odd.Run(OracleLeads)
	skipWithoutOracle(t, err)
	require.NoError(t, err)
	require.Len(t, o.Differences, 1)
	require.Contains(t, o.Differences[0], `key 0 "k": want string`)
}

func skipWithoutOracle(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, difftest.ErrNoOracle) && os.Getenv("CI") == "" {
		t.Skipf("%v: nothing to compare with", err)
	}
}
