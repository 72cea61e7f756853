package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// left returns the ScriptError of err, which must also be an *Error.
func left(t *testing.T, err error) *engine.ScriptError {
	t.Helper()
	var left *engine.ScriptError
	require.ErrorAs(t, err, &left)
	var re *engine.Error
	require.ErrorAs(t, err, &re)
	require.Equal(t, re.Error(), err.Error())
	return left
}

func texts(writes []engine.ScriptWrite) (list []string) {
	for _, w := range writes {
		list = append(list, w.String())
	}
	return list
}

const halfDone = `
redis.call('SELECT', 2)
redis.call('SET', KEYS[1], ARGV[1])
redis.call('GET', KEYS[1])
redis.call('DEL', 'missing')
redis.set_repl(redis.REPL_NONE)
redis.call('RENAME', KEYS[1], 'b')
redis.set_repl(redis.REPL_ALL)
redis.call('SADD', 's', 'one')
redis.call('SPOP', 's')
redis.pcall('SADD', 'b', 'x')
redis.call('EXPIRE', 'b', 100)
redis.call('INCR', 'b')`

func TestAFailedScriptReturnsItsWrites(t *testing.T) {
	for name, received := range map[string]bool{"without receivers of effects": false, "with receivers": true} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, engine.Options{})
			var stream []byte
			if received {
				to := server.EffectStream{To: server.ToReplicas}
				require.NoError(t, enginedoor.Of(e).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
					stream = to.Append(stream, list, together)
				}))
			}
			sess, err := e.NewSession()
			require.NoError(t, err)
			_, err = sess.Do(t.Context(), "FUNCTION", "LOAD",
				"#!lua name=l\nredis.register_function('half', function(KEYS, ARGV) "+halfDone+" end)")
			require.NoError(t, err)
			for _, call := range []func() (engine.Value, error){
				func() (engine.Value, error) { return sess.Eval(t.Context(), halfDone, []string{"a"}, "x y") },
				func() (engine.Value, error) { return sess.FCall(t.Context(), "half", []string{"a"}, "x y") },
				func() (engine.Value, error) { return sess.Do(t.Context(), "EVAL", halfDone, 1, "a", "x y") },
				func() (engine.Value, error) {
					return sess.RunScript(t.Context(), engine.NewScript(halfDone), []string{"a"}, []string{"x y"})
				},
				func() (engine.Value, error) {
					return sess.DebugScript(t.Context(), engine.NewScript(halfDone), []string{"a"}, []string{"x y"},
						func(*engine.DebugRun) engine.Debugger { return nil })
				},
			} {
				stream = nil
				v, err := call()
				require.True(t, v.IsError())
				l := left(t, err)
				require.Equal(t, []string{`SET a "x y"`, "RENAME a b", "SADD s one", "SPOP s", "EXPIRE b 100"}, texts(l.Writes))
				require.Equal(t, engine.ScriptWrite{DB: 2, Args: []string{"RENAME", "a", "b"}, Keys: []string{"a", "b"}}, l.Writes[1])
				require.Zero(t, l.More)
				if received {
					text := string(stream)
					require.Contains(t, text, "SREM\r\n$1\r\ns\r\n$3\r\none")
					require.Contains(t, text, "PEXPIREAT")
					require.NotContains(t, text, "SPOP")
					require.NotContains(t, text, "RENAME")
				}
			}
		})
	}
}

// The effects of a script that wrote only for itself need no MULTI.
func TestNotesAreNoEffects(t *testing.T) {
	e := newEngine(t, engine.Options{})
	var stream []byte
	to := server.EffectStream{To: server.ToReplicas}
	require.NoError(t, enginedoor.Of(e).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
		stream = to.Append(stream, list, together)
	}))
	_, err := e.Eval(t.Context(), `redis.call('SET', 'a', 1)
redis.set_repl(redis.REPL_NONE) redis.call('SET', 'b', 1)
redis.set_repl(redis.REPL_AOF) redis.call('SET', 'c', 1)`, nil)
	require.NoError(t, err)
	require.Equal(t, string(resp.AppendCommand(resp.AppendCommand(nil, "SELECT", "0"), "SET", "a", "1")), string(stream))
}

func TestAScriptThatHasNotWrittenReturnsAnError(t *testing.T) {
	e := newEngine(t, engine.Options{ScriptSteps: 1000})
	var se *engine.ScriptError
	for _, script := range []string{
		"error('x')", "redis.call('GET', 'a') redis.call('NOSUCH')", "redis.call('DEL', 'missing') error('x')",
		"while true do end", "return {err='NO'}",
		"redis.call('PUBLISH', 'c', 'm') error('x')",
	} {
		_, err := e.Eval(t.Context(), script, nil)
		require.Error(t, err)
		require.False(t, errors.As(err, &se), script)
	}
	v, err := e.Eval(t.Context(), "redis.call('SET', 'a', 'x') return redis.pcall('INCR', 'a').err", nil)
	require.NoError(t, err, "an error that is caught is no failure")
	require.Contains(t, v.Text(), "not an integer")
	_, err = e.Eval(t.Context(), "redis.call('SET', 'a', 1) while true do end", nil)
	require.Equal(t, []string{"SET a 1"}, texts(left(t, err).Writes))
	_, err = e.Eval(t.Context(), "redis.call('SET', 'a', 2) return redis.pcall('NOSUCH')", nil)
	require.Equal(t, []string{"SET a 2"}, texts(left(t, err).Writes))
}

func TestTheListOfWritesIsBounded(t *testing.T) {
	e := newEngine(t, engine.Options{})
	_, err := e.Eval(t.Context(), `
local many = {}
for i = 1, 50 do many[i] = 'v' end
redis.call('RPUSH', 'l', unpack(many))
redis.call('SET', 'long', string.rep('x', 1000))
for i = 1, 98 do redis.call('INCR', 'n') end
error('x')`, nil)
	l := left(t, err)
	require.Len(t, l.Writes, 32)
	require.Equal(t, 68, l.More)
	require.Len(t, l.Writes[0].Args, 16)
	require.Equal(t, "37 more…", l.Writes[0].Args[15])
	require.Equal(t, "SET long "+strings.Repeat("x", 64)+"…", l.Writes[1].String())
}

// Where the caller does not get the error, the log has the writes, in one line.
func TestWritesOfABatchAreLogged(t *testing.T) {
	var out bytes.Buffer
	e := newEngine(t, engine.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	sess, err := e.NewSession()
	require.NoError(t, err)
	const script = "redis.call('SET', 'a', 1) error('x')"
	run := map[string]func() error{
		"pipeline": func() error {
			replies, err := e.Pipeline().Do("EVAL", script, 0).Exec(context.Background())
			require.True(t, strings.HasPrefix(replies[0].Text(), "ERR user_script:1: x script: "))
			return err
		},
		"transaction": func() error {
			for _, line := range [][]any{{"MULTI"}, {"EVAL", script, 0}, {"SET", "b", 2}, {"EXEC"}} {
				if _, err := sess.Do(context.Background(), line...); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, f := range run {
		out.Reset()
		require.NoError(t, f(), name)
		require.Equal(t, 1, strings.Count(out.String(), "\n"), out.String())
		require.Contains(t, out.String(), "level=WARN")
		require.Contains(t, out.String(), `writes="[[0] SET a 1]" more=0`)
	}
	out.Reset()
	_, err = e.Eval(t.Context(), script, nil)
	left(t, err)
	require.Empty(t, out.String(), "the caller has got it")
}

// The notes of a busy script are its own: what others run meanwhile does not send them.
func TestNotesOfABusyScript(t *testing.T) {
	e, sess := newBusy(t, engine.Options{})
	var stream []byte
	to := server.EffectStream{To: server.ToReplicas}
	require.NoError(t, enginedoor.Of(e).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
		stream = to.Append(stream, list, together)
	}))
	ended := spin(t, e, sess, `redis.call('SET', 'a', 1) redis.set_repl(redis.REPL_NONE) redis.call('SET', 'b', 1)
while true do end`)
	other, err := e.NewSession()
	require.NoError(t, err)
	do(t, other, "WATCH", "a")
	do(t, other, "UNWATCH")
	require.NoError(t, e.Close())
	<-ended
	require.Equal(t, string(resp.AppendCommand(resp.AppendCommand(nil, "SELECT", "0"), "SET", "a", "1")), string(stream))
}
