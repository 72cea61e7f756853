package harness_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

// newEngine returns an engine that w sees.
func newEngine(t *testing.T, w *harness.Watch) *engine.Engine {
	e, err := engine.New(engine.Options{Rand: harness.Rand(harness.Seed)})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, harness.Check(e))
		require.NoError(t, e.Close())
		require.NoError(t, harness.Check(e), "a closed engine is not checked")
	})
	require.NoError(t, e.SetProbe(context.Background(), w.Probe()))
	return e
}

// on returns a Do of an engine.
func on(e *engine.Engine) harness.Do {
	return func(args ...string) (reply.Value, error) { return e.DoStrings(context.Background(), args...) }
}

func must(t *testing.T, do harness.Do, lines ...string) {
	t.Helper()
	var commands [][]string
	for _, line := range lines {
		commands = append(commands, strings.Fields(line))
	}
	require.NoError(t, do.Run(commands))
}

func TestFaults(t *testing.T) {
	w := harness.NewWatch(harness.MostCalls)
	do := on(newEngine(t, w))
	fails := func(text, line string) {
		t.Helper()
		_, err := do(strings.Fields(line)...)
		require.EqualError(t, err, text)
	}
	w.Inject(harness.Fault{})
	fails("ERR injected fault", "PING")
	must(t, do, "PING")
	require.False(t, w.Injected(), "a fault that is used up is none")

	remove := w.Inject(harness.Fault{Command: "get", Key: "user:*", Error: "OOM no", After: 1, Times: 2})
	must(t, do, "GET other", "GET user:1")
	fails("OOM no", "GET user:2")
	require.Equal(t, []harness.Fault{{Command: "get", Key: "user:*", Error: "OOM no", Times: 1}}, w.Faults(), "what is left of it")
	remove()
	must(t, do, "GET user:1")

	w.Inject(harness.Fault{InScripts: true, Times: -1})
	must(t, do, "PING")
	for range 3 {
		_, err := do("EVAL", "return redis.call('PING')", "0")
		require.ErrorContains(t, err, "injected")
	}
	w.Quietly(func() { _, err := do("EVAL", "return redis.call('PING')", "0"); require.NoError(t, err) })
	w.RemoveFaults()
	require.False(t, w.Injected())
	require.ErrorIs(t, harness.Fault{Error: "ERR a\nb"}.Check(), harness.ErrLines)
	require.NoError(t, harness.Fault{}.Check())
}

func TestCalls(t *testing.T) {
	w := harness.NewWatch(10)
	do := on(newEngine(t, w))
	must(t, do, "SET a 1")
	w.Quietly(func() { must(t, do, "SET b 1") })
	mark := w.Mark()
	_, err := do("EVAL", "return redis.call('GET', KEYS[1])", "1", "a")
	require.NoError(t, err)
	require.Len(t, w.Calls(), 3, "not those of the runner")
	require.Len(t, w.Since(mark), 2)
	scripts := w.ScriptCalls(mark)
	require.Len(t, scripts, 1)
	require.Equal(t, `GET a -> "1"`, scripts[0].String())
	require.Empty(t, w.Since(w.Mark()))

	for range 100 {
		must(t, do, "PING")
		require.LessOrEqual(t, len(w.Calls()), 10)
	}
	require.GreaterOrEqual(t, len(w.Calls()), 5)
	require.Equal(t, 103, w.Mark(), "those that were forgotten count")
	require.Len(t, w.Since(101), 2)
	w.Forget()
	require.Empty(t, w.Calls())
}

// Large calls are forgotten earlier.
func TestCallsAreLimitedByTheirSize(t *testing.T) {
	w := harness.NewWatch(harness.MostCalls)
	do := on(newEngine(t, w))
	large := strings.Repeat("x", harness.MostBytes/8)
	for range 20 {
		_, err := do("ECHO", large) // twice its size
		require.NoError(t, err)
		size := int64(0)
		for _, c := range w.Calls() {
			size += c.Size()
		}
		require.LessOrEqual(t, size, int64(harness.MostBytes))
	}
}

func TestJoin(t *testing.T) {
	first, second := harness.NewWatch(10), harness.NewWatch(10)
	e := newEngine(t, first)
	answer := &engine.Probe{Answer: func(c engine.ProbedCommand) (engine.Value, bool) { return reply.Int(7), c.Args[0] == "ECHO" }}
	require.NoError(t, e.SetProbe(context.Background(), harness.Join(first.Probe(), nil, answer, second.Probe())))
	first.Inject(harness.Fault{Error: "ERR first"})
	second.Inject(harness.Fault{Error: "ERR second"})
	_, err := on(e)("PING")
	require.EqualError(t, err, "ERR first")
	_, err = on(e)("PING")
	require.EqualError(t, err, "ERR second")
	v, err := on(e)("ECHO", "x")
	require.NoError(t, err)
	require.Equal(t, int64(7), v.MustInt())
	require.Len(t, first.Calls(), 3)
	for i, c := range second.Calls() {
		require.Equal(t, c.String(), first.Calls()[i].String())
	}
}

func TestSaveAndRestore(t *testing.T) {
	w := harness.NewWatch(3)
	do := on(newEngine(t, w))
	remove := w.Inject(harness.Fault{Command: "GET", After: 1, Times: 1})
	must(t, do, "SET a 1")
	restore := w.Save()
	for range 2 {
		must(t, do, "GET a")
		_, err := do("GET", "a")
		require.EqualError(t, err, harness.Injected)
		must(t, do, "SET b 1", "SET b 2", "SET b 3")
		require.NotContains(t, w.Calls()[0].String(), "SET a", "the first calls are forgotten")
		restore()
		require.Len(t, w.Calls(), 1)
		require.Equal(t, "SET a 1 -> OK", w.Calls()[0].String())
	}
	remove()
	require.False(t, w.Injected(), "the fault is still the same one")
}
