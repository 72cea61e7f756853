package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstScript is a script as an author writes it for a first test.
var firstScript = NewScript(`
local stock = tonumber(redis.call('GET', KEYS[1]) or '0')
local want = tonumber(ARGV[1])
if stock < want then
  return redis.error_reply('SOLDOUT only ' .. stock .. ' left')
end
redis.call('DECRBY', KEYS[1], want)
return {'ok', stock - want}
`)

// BenchmarkNewEngine measures a new engine and its end.
func BenchmarkNewEngine(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		e, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkNewAndFirstScript measures a new engine, its first script, and its end.
func BenchmarkNewAndFirstScript(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		runFirstScript(b, Options{}).Close()
	}
}

// runFirstScript returns a new engine that has run one script.
func runFirstScript(tb testing.TB, o Options) *Engine {
	e, err := New(o)
	require.NoError(tb, err)
	_, err = e.DoStrings(context.Background(), "SET", "stock", "10")
	require.NoError(tb, err)
	v, err := e.RunScript(context.Background(), firstScript, []string{"stock"}, []string{"3"})
	require.NoError(tb, err)
	require.Equal(tb, int64(7), v.Slice()[1].MustInt())
	return e
}
