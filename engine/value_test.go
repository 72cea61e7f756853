package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// replies are scripts that return replies of each kind in RESP2.
var replies = []string{
	"return 7", `return 'a "text" \n\255'`, "return redis.status_reply('FINE')", "return false", "return {}",
	"return redis.error_reply('NOPE no')",
	"return {1, 'b', {2, {}, {'c', 0}}, redis.status_reply('x')}", "return {1,2,3,4,5,6,7,8,9,{10, 'ten'}}",
}

func TestAValuePrintsAsInRedisCLI(t *testing.T) {
	e := newEngine(t, engine.Options{})
	want := []string{
		"(integer) 7", `"a \"text\" \n\xff"`, "FINE", "(nil)", "(empty array)", "(error) NOPE no",
		"1) (integer) 1\n2) \"b\"\n3) 1) (integer) 2\n   2) (empty array)\n   3) 1) \"c\"\n      2) (integer) 0\n4) x",
		" 1) (integer) 1\n 2) (integer) 2\n 3) (integer) 3\n 4) (integer) 4\n 5) (integer) 5\n 6) (integer) 6\n 7) (integer) 7\n 8) (integer) " +
			"8\n 9) (integer) 9\n" +
			"10) 1) (integer) 10\n    2) \"ten\"",
	}
	for i, script := range replies {
		v, _ := e.Eval(context.Background(), script, nil)
		for _, verb := range []string{"%v", "%s", "%+v"} {
			require.Equal(t, want[i], fmt.Sprintf(verb, v), script)
		}
		require.Equal(t, want[i], fmt.Sprint(v))
		require.Equal(t, fmt.Sprintf("%q", want[i]), fmt.Sprintf("%q", v))
		require.Equal(t, "engine.Value{"+want[i]+"}", fmt.Sprintf("%#v", v))
	}
	v, err := e.Eval(context.Background(), "return 7", nil)
	require.NoError(t, err)
	require.Equal(t, "[(integer) 7 (nil)]", fmt.Sprint([]engine.Value{v, {}}))
}

func TestRedisCLIPrintsTheSame(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(func() { s.Stop() })
	host, port, _ := strings.Cut(s.Addr, ":")
	e, ctx := newEngine(t, engine.Options{}), context.Background()
	for _, protocol := range []string{"-2", "-3"} {
		for _, script := range append(replies, "return {1, redis.error_reply('X y')}", "redis.setresp(3) return {double=1.5}",
			"redis.setresp(3) return {map={a={map={b=1}}}}",
			"redis.setresp(3) return {set={a=true}}", "redis.setresp(3) return {map={}}", "redis.setresp(3) return true") {
			sess, err := e.NewSession()
			require.NoError(t, err)
			_, err = sess.Do(ctx, "HELLO", protocol[1:])
			require.NoError(t, err)
			v, _ := sess.Eval(ctx, script, nil)
			require.NoError(t, sess.Close())
			if protocol == "-2" && v.Kind() != engine.KindError && strings.Contains(script, "setresp(3)") {
				continue // a Value is a map or double even if the protocol of the connection has neither
			}
			theirs, err := exec.Command("redis-cli", protocol, "-h", host, "-p", port, "--no-raw", "EVAL", script, "0").CombinedOutput()
			require.NoError(t, err)
			require.Equal(t, strings.TrimRight(string(theirs), "\n"), v.String(), "%s %s", protocol, script)
		}
	}
}

func TestValuesAndErrorsAreLoggedAsText(t *testing.T) {
	e := newEngine(t, engine.Options{})
	_, err := e.Do(context.Background(), "NOPE")
	v, _ := e.Eval(context.Background(), "return {1, 'a'}", nil)
	var buf bytes.Buffer
	slog.New(slog.NewJSONHandler(&buf, nil)).Info("x", "v", v, "err", err)
	require.Contains(t, buf.String(), `"v":"1) (integer) 1\n2) \"a\""`)
	require.Contains(t, buf.String(), `"err":"ERR unknown command 'NOPE', with args beginning with: "`)
}
