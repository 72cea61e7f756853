package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// A script that forgets to declare a key fails where it uses the key.
func ExampleKeyPolicy() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{StrictKeys: engine.RefuseKeys})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	pay := engine.NewScript(`
		redis.call('INCRBY', KEYS[1], ARGV[1])
		redis.call('RPUSH', KEYS[1] .. ':log', ARGV[1])`)
	_, err = pay.Run(ctx, e, []string{"ann"}, 5)
	fmt.Println(strings.TrimSuffix(err.Error(), " script: "+pay.SHA()+", on @user_script:3."))
	_, err = pay.Run(ctx, e, []string{"ann", "ann:log"}, 5)
	fmt.Println(err)
	// Output:
	// ERR Script attempted to access the key "ann:log", which is not in KEYS
	// <nil>
}

// Each script runs with the keys a and b, and the argument c.
func TestStrictKeys(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{StrictKeys: engine.RefuseKeys})
	_, err := e.Do(ctx, "MSET", "a", 1, "b", 2, "c", 3)
	require.NoError(t, err)
	for source, want := range map[string]string{
		"return redis.call('GET', KEYS[2])":                                                     "",
		"return redis.call('GET', 'b')":                                                         "",
		"return redis.call('GET', 'c')":                                                         `the key "c"`,
		"return redis.call('GET', ARGV[1])":                                                     `the key "c"`,
		"return redis.pcall('GET', 'c')":                                                        `the key "c"`,
		"redis.pcall('GET', 'c') return 1":                                                      "",
		"return redis.call('SET', 'x', 1)":                                                      `the key "x"`,
		"return redis.call('MSET', 'a', 1, 'x', 1)":                                             `the key "x"`,
		"return redis.call('MGET', 'a', 'b')":                                                   "",
		"return redis.call('RENAME', 'a', 'x')":                                                 `the key "x"`,
		"return redis.call('ZUNIONSTORE', 'a', 2, 'b', 'x')":                                    `the key "x"`,
		"return redis.call('BITOP', 'AND', 'x', 'a')":                                           `the key "x"`,
		"return redis.call('OBJECT', 'ENCODING', 'x')":                                          `the key "x"`,
		"return redis.call('XREAD', 'STREAMS', 'x', '0')":                                       `the key "x"`,
		"return redis.call('GEOSEARCHSTORE', 'x', 'a', 'FROMLONLAT', 1, 1, 'BYRADIUS', 1, 'm')": `the key "x"`,
		"return redis.call('SORT', 'a')":                                                        "WRONGTYPE",
		"return redis.call('SORT', 'x')":                                                        `the key "x"`,
		"return redis.call('SORT', 'a', 'STORE', 'x')":                                          `the key "x"`,
		"return redis.call('SORT', 'a', 'BY', 'w_*', 'GET', '#')":                               `the keys "w_*", which are`,
		"return redis.call('SORT_RO', 'a', 'LIMIT', 0, 1, 'GET', 'o_*->f')":                     `the keys "o_*->f", which are`,
		"return redis.call('SORT', 'a', 'BY', 'nosort', 'GET', '#')":                            "WRONGTYPE",
		"redis.call('SELECT', 1) return redis.call('GET', 'a')":                                 "",
		"redis.call('SELECT', 1) return redis.call('GET', 'c')":                                 `the key "c"`,
		"return redis.call('PUBLISH', 'channel', 1)":                                            "",
		"return #redis.call('KEYS', '*')":                                                       "",
		"return redis.call('DBSIZE')":                                                           "",
		"return redis.call('GET', 'x\\r\\ny\\0')":                                               `the key "x\r\ny\x00"`,

		"return redis.call('GET', string.rep('x', 200))": `the key "` + strings.Repeat("x", 128) + `"..., which is`,

		"return redis.call('GET', '键')":                           `the key "键"`,
		"return redis.call('GET', '')":                            `the key ""`,
		"return redis.call('GET')":                                "Wrong number of args",
		"#!lua flags=no-writes\nreturn redis.call('GET', 'x')":    `the key "x"`,
		"#!lua flags=no-writes\nreturn redis.call('SET', 'x', 1)": "Write commands are not allowed",
	} {
		_, err := e.Eval(ctx, source, []string{"a", "b"}, "c")
		if want == "" {
			assert.NoError(t, err, source)
		} else {
			assert.ErrorContains(t, err, want, source)
		}
	}
}

// What a command of a client names is not concerned, in whatever way the client runs it.
func TestStrictKeysConcernScriptsOnly(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{StrictKeys: engine.RefuseKeys})
	sess, err := e.NewSession()
	require.NoError(t, err)
	for _, line := range []string{"SET x 1", "MULTI", "SET y 1", "GET x", "EXEC"} {
		_, err := sess.DoStrings(ctx, strings.Fields(line)...)
		require.NoError(t, err, line)
	}
}

// All ways to run a script or function have the same rule.
func TestStrictKeysByEveryCall(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{StrictKeys: engine.RefuseKeys})
	const source = "return redis.call('INCR', ARGV[1])"
	script := engine.NewScript(source)
	_, err := e.Do(ctx, "FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function(keys, args) "+
		"return redis.call('INCR', args[1]) end)")
	require.NoError(t, err)
	_, err = e.Do(ctx, "SCRIPT", "LOAD", source) // the calls come in any order
	require.NoError(t, err)
	sess, err := e.NewSession()
	require.NoError(t, err)
	for name, run := range map[string]func(keys []string, arg string) error{
		"Script.Run":   func(keys []string, arg string) error { _, err := script.Run(ctx, e, keys, arg); return err },
		"of a session": func(keys []string, arg string) error { _, err := script.Run(ctx, sess, keys, arg); return err },
		"EVAL":         func(keys []string, arg string) error { return problem(e, command("EVAL", source, keys, arg)...) },
		"EVALSHA": func(keys []string, arg string) error {
			return problem(e, command("EVALSHA", script.SHA(), keys, arg)...)
		},
		"FCALL": func(keys []string, arg string) error { return problem(e, command("FCALL", "f", keys, arg)...) },
		"EXEC": func(keys []string, arg string) error {
			for _, args := range [][]any{{"MULTI"}, command("EVAL", source, keys, arg)} {
				if _, err := sess.Do(ctx, args...); err != nil {
					return err
				}
			}
			v, err := sess.Do(ctx, "EXEC")
			if err != nil {
				return err
			}
			return v.Slice()[0].Err()
		},
	} {
		require.NoError(t, run([]string{"a"}, "a"), name)
		require.ErrorContains(t, run([]string{"a"}, "b"), `the key "b"`, name)
		require.ErrorContains(t, run(nil, "a"), `the key "a"`, name)
		many := make([]string, 100)
		for i := range many {
			many[i] = fmt.Sprint("k", i)
		}
		require.NoError(t, run(many, "k77"), name)
		require.ErrorContains(t, run(many, "a"), `the key "a"`, name)
		require.ErrorContains(t, run([]string{"a"}, "k77"), `the key "k77"`, name)
	}
}

func command(name, what string, keys []string, arg string) []any {
	args := []any{name, what, len(keys)}
	for _, k := range keys {
		args = append(args, k)
	}
	return append(args, arg)
}

func problem(e *engine.Engine, args ...any) error {
	_, err := e.Do(context.Background(), args...)
	return err
}

// With WarnKeys everything runs. The log names each key of a script once, and of each script ten.
func TestWarnKeys(t *testing.T) {
	ctx := context.Background()
	var out bytes.Buffer
	e := newEngine(t, engine.Options{StrictKeys: engine.WarnKeys, Logger: slog.New(slog.NewTextHandler(&out, nil))})
	script := engine.NewScript("redis.call('SET', KEYS[1], 1) return redis.call('SET', ARGV[1], 1)")
	for range 3 {
		_, err := script.Run(ctx, e, []string{"a"}, "b")
		require.NoError(t, err)
	}
	require.Equal(t, 1, strings.Count(out.String(), "not in KEYS"), out.String())
	require.Contains(t, out.String(), `Script `+script.SHA()+` accesses the key \"b\", which is not in KEYS`)
	for i := range 50 {
		_, err := script.Run(ctx, e, []string{"a"}, i)
		require.NoError(t, err)
	}
	require.Equal(t, 10, strings.Count(out.String(), "not in KEYS"))
	for i := range 2000 {
		_, err := e.Eval(ctx, fmt.Sprintf("return redis.call('GET', 'k%d')", i), nil)
		require.NoError(t, err)
	}
	require.Equal(t, 10+999, strings.Count(out.String(), "not in KEYS"))
}

func BenchmarkGateOfScripts(b *testing.B) {
	ctx := context.Background()
	script := engine.NewScript("local call, key = redis.call, KEYS[1] for i = 1, 1000 do call('GET', key) end")
	for name, policy := range map[string]engine.KeyPolicy{"any": engine.AnyKeys, "strict": engine.RefuseKeys} {
		b.Run(name, func(b *testing.B) {
			e, err := engine.New(engine.Options{StrictKeys: policy})
			require.NoError(b, err)
			defer e.Close()
			for b.Loop() {
				if _, err := e.RunScript(ctx, script, []string{"a"}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
