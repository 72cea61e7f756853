package rapidtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/redmoontest/rapidtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.seed": "1"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// failing records what a test that must fail reports.
type failing struct {
	testing.TB
	text   string
	failed bool
}

func (f *failing) Logf(format string, args ...any)   { f.text += fmt.Sprintf(format, args...) + "\n" }
func (f *failing) Errorf(format string, args ...any) { f.failed = true; f.Logf(format, args...) }
func (f *failing) Fatalf(format string, args ...any) { f.Errorf(format, args...); f.FailNow() }
func (f *failing) Failed() bool                      { return f.failed }
func (f *failing) FailNow()                          { f.failed = true; runtime.Goexit() }

// fails returns what Check reports about a property that does not hold.
func fails(t *testing.T, p rapidtest.Property) string {
	t.Helper()
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rapidtest.Check(f, p)
	}()
	<-done
	require.True(t, f.failed)
	return f.text
}

// buy takes n from the stock. It forgets that n may be negative.
var buy = engine.NewScript(`
local n = tonumber(ARGV[1])
local stock = tonumber(redis.call('GET', KEYS[1]) or 0)
if not n or n > stock then return redis.error_reply('NO not enough') end
return redis.call('DECRBY', KEYS[1], ARGV[1])`)

func buying() rapidtest.Property {
	return rapidtest.Property{
		Script: buy,
		Fill:   rapidtest.KeyspaceOf(map[string][]string{"stock": {rapidtest.String}}),
		Calls:  rapidtest.Calls(rapidtest.Keys("stock"), rapidtest.Int(-5, 5)),
	}
}

func TestCheckShrinks(t *testing.T) {
	p := buying()
	p.Fill = nil
	p.Invariant = func(e *redmoontest.Engine) error {
		if e.Exists("stock") && e.Get("stock") > "0" {
			return errors.New("something was put into the stock")
		}
		return nil
	}
	text := fails(t, p)
	require.Contains(t, text, "call 1, KEYS [stock] ARGV [-1]: something was put into the stock\nthe keyspace:\n\"stock\": \"1\"\n")
	require.Contains(t, text, "-rapid.seed=1")
	require.Equal(t, text, fails(t, p), "the seed repeats it")
}

func TestCheckComparesWithAModel(t *testing.T) {
	p := buying()
	p.Calls = rapidtest.Calls(rapidtest.Keys("stock"), rapidtest.Int(0, 5))
	p.Fill = rapid.Map(rapid.IntRange(0, 9), func(n int) rapidtest.Commands { return rapidtest.Commands{{"SET", "stock", strconv.Itoa(n)}} })
	sold := func(limit int) func(e *redmoontest.Engine) func(rapidtest.Call) any {
		return func(e *redmoontest.Engine) func(rapidtest.Call) any {
			stock, err := strconv.Atoi(e.Get("stock"))
			require.NoError(t, err)
			return func(c rapidtest.Call) any {
				n, _ := strconv.Atoi(c.Args[0])
				if n > stock-limit {
					return errors.New("NO not enough")
				}
				stock -= n
				return stock
			}
		}
	}
	p.Model = sold(0)
	rapidtest.Check(t, p)
	p.Model = sold(1)
	require.Contains(t, fails(t, p), "call 1, KEYS [stock] ARGV [0]: the reply is (integer) 0, by the model (error) NO not enough")
}

// Any script can be called with any keyspace and arguments.
func TestCheckAcceptsErrorReplies(t *testing.T) {
	p := buying()
	p.Fill = rapidtest.Keyspace("stock", "other")
	p.Calls = rapidtest.Calls([]*rapid.Generator[string]{rapidtest.Word()}, rapidtest.Arg())
	rapidtest.Check(t, p)
	rapidtest.Check(t, rapidtest.Property{Script: engine.NewScript("return {1, 'a', false, {ok = 'x'}}"),
		Model: func(*redmoontest.Engine) func(rapidtest.Call) any {
			return func(rapidtest.Call) any { return []any{true, "a", nil, "x"} }
		}})
}

// Keyspaces have every type, with and without times to live.
func TestKeyspace(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		e := rapidtest.New(t, rt)
		for _, words := range rapidtest.Keyspace("k").Draw(rt, "keyspace") {
			_, err := e.DoStrings(context.Background(), words...)
			require.NoError(rt, err)
		}
		typ := e.MustDo("TYPE", "k").Text()
		seen[typ] = true
		if len(e.TTLs()) > 0 {
			seen["a time to live"] = true
		}
	})
	require.Len(t, seen, 8, "none, six types, a time to live: %v", seen)
}

// touch changes a key of any type as far as that is possible.
var touch = engine.NewScript(`
local kind = redis.call('TYPE', KEYS[1]).ok
local changes = {string = {'APPEND', ARGV[1]}, list = {'LPUSH', ARGV[1]}, set = {'SREM', ARGV[1]}, hash = {'HINCRBY', 'a', ARGV[1]},
	zset = {'ZINCRBY', ARGV[1], 'a'}}
local c = changes[kind]
if not c then return redis.call('INCRBY', KEYS[2], ARGV[1]) end
return redis.call(c[1], KEYS[1], c[2], c[3])`)

func touching(against engine.Client) rapidtest.Property {
	return rapidtest.Property{Script: touch, Fill: rapidtest.Keyspace("k", "l"), Against: against,
		Calls: rapidtest.Calls([]*rapid.Generator[string]{rapidtest.Word(), rapidtest.Word()}, rapidtest.Arg())}
}

func TestCheckComparesWithAServer(t *testing.T) {
	p := touching(everywhere.Server(t).Client)
	p.Script = engine.NewScript(strings.NewReplacer("redis.call(c[1], KEYS[1], c[2], c[3])",
		"redis.call(c[1], KEYS[1], c[2], unpack(c, 3))").Replace(touch.Source()))
	p.Calls = rapidtest.Calls(rapidtest.Keys("k", "n"), rapidtest.Arg())
	rapidtest.Check(t, p)
	v, err := p.Against.DoStrings(context.Background(), "DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.MustInt(), "what it has written is deleted")
}

// differing is a server that does something else.
type differing struct {
	*redmoontest.Engine
	after string // a command after each script
	reply string // in place of the reply of scripts
}

func (d differing) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	v, err := d.Engine.RunScript(ctx, s, keys, args)
	if d.after != "" {
		d.MustDo(d.after, "k", 100_000)
	}
	if d.reply != "" {
		return d.MustDo("ECHO", d.reply), nil
	}
	return v, err
}

func TestCheckFindsDifferences(t *testing.T) {
	keys := func(after, reply string) string {
		return fails(t, rapidtest.Property{Script: engine.NewScript("return redis.call('SET', KEYS[1], ARGV[1])"),
			Calls: rapidtest.Calls(rapidtest.Keys("k"), rapidtest.Word()), Against: differing{redmoontest.New(t), after, reply}})
	}
	require.Contains(t, keys("", "other"), `the reply is "OK", on the server "other"`)
	require.Contains(t, keys("APPEND", ""), "the keyspace differs (- server, + engine):\n- \"k\": \"a100000\"\n+ \"k\": \"a\"\n")
	require.Contains(t, keys("PEXPIRE", ""), `the time to live of "k" is 1m40s on the server, none on the engine`)
	full := redmoontest.New(t)
	full.MustDo("SET", "precious", 1)
	require.Contains(t, fails(t, touching(full)), "the database of the server has keys, which Check would delete")
	require.True(t, full.Exists("precious"))
}
