package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

func newWatched(t *testing.T, o engine.Options) *engine.Engine {
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestEnginesShareACoverage(t *testing.T) {
	const engines, runs = 8, 200
	c, p := engine.NewCoverage(), engine.NewProfile()
	script := engine.NewScript("local n = 0\nfor i = 1, tonumber(ARGV[1]) do n = n + i end\nreturn n")
	var all sync.WaitGroup
	for n := range engines {
		e := newWatched(t, engine.Options{Coverage: c, Profile: p})
		all.Go(func() {
			for range runs {
				if _, err := script.Run(context.Background(), e, nil, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() { // reading does not disturb
		for range 50 {
			_ = c.Scripts()
			_ = p.Samples()
			c.Name(script.SHA(), "sum.lua")
		}
	})
	all.Wait()
	s := c.Scripts()[0]
	require.Equal(t, "sum.lua", s.Name)
	require.EqualValues(t, engines*runs, s.Runs)
	require.EqualValues(t, runs*(0+1+2+3+4+5+6+7), s.Lines[1].Hits)
	require.EqualValues(t, runs, s.Branches[0].No)
	hits := int64(0)
	for _, sample := range p.Samples() {
		if len(sample.Stack) == 1 && sample.Stack[0].Line == 1 {
			hits = sample.Hits
		}
	}
	require.EqualValues(t, engines*runs, hits)
}

func TestTakeBeginsAgain(t *testing.T) {
	ctx, c := context.Background(), engine.NewCoverage()
	e := newWatched(t, engine.Options{Coverage: c})
	runs := func(list []engine.ScriptCoverage) []uint64 {
		var out []uint64
		for _, s := range list {
			out = append(out, s.Runs, s.Lines[0].Hits)
		}
		return out
	}
	_, err := e.Do(ctx, "SCRIPT", "LOAD", "return 1")
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 0}, runs(c.Scripts()), "it was loaded, but has not run")
	for range 3 {
		_, err = e.Eval(ctx, "return 1", nil)
		require.NoError(t, err)
	}
	require.Equal(t, []uint64{3, 3}, runs(c.Take()))
	require.Equal(t, []uint64{0, 0}, runs(c.Scripts()))
	_, err = e.Do(ctx, "SCRIPT", "FLUSH")
	require.NoError(t, err)
	_, err = e.Eval(ctx, "return 1", nil)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 1}, runs(c.Take()), "the same script, compiled again")
	_, err = e.Eval(ctx, "return", nil)
	require.NoError(t, err)
	_, err = e.Eval(ctx, "return +", nil)
	require.Error(t, err)
	require.Len(t, c.Scripts(), 2, "what does not compile is not a script")
}

func TestCoverageOfLibrariesAndForks(t *testing.T) {
	ctx, c := context.Background(), engine.NewCoverage()
	e := newWatched(t, engine.Options{Coverage: c})
	const library = "#!lua name=l\nlocal n = 0\nredis.register_function('f', function(keys, args)\n  n = n + 1\n  return n\nend)"
	_, err := e.Do(ctx, "FUNCTION", "LOAD", library)
	require.NoError(t, err)
	for range 2 {
		_, err = e.FCall(ctx, "f", nil)
		require.NoError(t, err)
	}
	fork, err := e.Fork()
	require.NoError(t, err)
	defer fork.Close()
	_, err = fork.FCall(ctx, "f", nil)
	require.NoError(t, err)
	s := c.Scripts()[0]
	require.True(t, s.Library)
	require.EqualValues(t, 2, s.Runs, "the fork has loaded it again")
	require.Equal(t, []engine.LineCoverage{{Line: 2, Hits: 2}, {Line: 3, Hits: 2}, {Line: 4, Hits: 3}, {Line: 5, Hits: 3}}, s.Lines)
	require.Equal(t, []engine.FunctionCoverage{{Line: 3, EndLine: 6, Hits: 3}}, s.Functions)
}

// TestKilledScriptsCount is about scripts that do not end by themselves.
func TestKilledScriptsCount(t *testing.T) {
	ctx, c := context.Background(), engine.NewCoverage()
	e := newWatched(t, engine.Options{Coverage: c, ScriptSteps: 100})
	_, err := e.Eval(ctx, "local n = 0\nwhile true do\n  n = n + 1\nend\nreturn n", nil)
	require.ErrorContains(t, err, "takes more than 100 steps")
	require.Equal(t, []engine.LineCoverage{{Line: 1, Hits: 1}, {Line: 2, Hits: 101}, {Line: 3, Hits: 101}, {Line: 5, Hits: 0}},
		c.Scripts()[0].Lines)
}

// TestTooManyScripts is about clients that send another script each time.
func TestTooManyScripts(t *testing.T) {
	ctx, c, p := context.Background(), engine.NewCoverage(), engine.NewProfile()
	e := newWatched(t, engine.Options{Coverage: c, Profile: p})
	const most, more = 10_000, 7
	for i := range most + more {
		v, err := e.Eval(ctx, "return "+strconv.Itoa(i), nil)
		require.NoError(t, err)
		require.EqualValues(t, i, v.MustInt())
	}
	require.Len(t, c.Scripts(), most)
	require.Equal(t, more, c.Uncounted())
	require.Len(t, p.Samples(), most)
}

// TestSlowScriptsAreLoggedWithTheirHotLine is about SLOWLOG when costs are measured. The reply of
// SLOWLOG stays that of Redis.
func TestSlowScriptsAreLoggedWithTheirHotLine(t *testing.T) {
	ctx := context.Background()
	const source = "local n = 0\nfor i = 1, 200000 do n = n + i % 7 end\nredis.call('set', 'k', n)\nreturn n"
	const library = "#!lua name=l\nredis.register_function('f', function()\n  for i = 1, 200000 do local x = i end\nend)"
	run := func(o engine.Options) (logged string, entries int64) {
		var log bytes.Buffer
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Config = map[string]string{"slowlog-log-slower-than": "0"}
		e := newWatched(t, o)
		_, err := e.Do(ctx, "FUNCTION", "LOAD", library)
		require.NoError(t, err)
		_, err = e.Eval(ctx, source, nil)
		require.NoError(t, err)
		_, err = e.FCall(ctx, "f", nil)
		require.NoError(t, err)
		_, err = e.Eval(ctx, "return +", nil)
		require.Error(t, err)
		_, err = e.Do(ctx, "PING")
		require.NoError(t, err)
		v, err := e.Do(ctx, "SLOWLOG", "LEN")
		require.NoError(t, err)
		require.NoError(t, e.Close())
		return log.String(), v.MustInt()
	}
	p := engine.NewProfile()
	p.Name(source, "sum.lua")
	logged, entries := run(engine.Options{Profile: p})
	const slow, share = `Slow script: %s took \d+ microseconds, hot line %s, in function %s `, `\(\d+%% of [0-9.]+[mµ]?s\)`
	require.Regexp(t, fmt.Sprintf(slow+share, "EVAL", `sum\.lua:2`, "main"), logged)
	require.Regexp(t, fmt.Sprintf(slow+share, "FCALL", `[0-9a-f]{40}:3`, "anonymous"), logged)
	require.Equal(t, 2, strings.Count(logged, "Slow script"), logged)
	plain, same := run(engine.Options{})
	require.NotContains(t, plain, "Slow script")
	require.Equal(t, same, entries)
}

// TestWatchedCorpus runs the scripts of testdata/coverage with and without coverage and profile:
// the replies must not change.
func TestWatchedCorpus(t *testing.T) {
	eachCorpusScript(t, func(t *testing.T, source string) {
		want := runCorpus(t, source, engine.Options{ScriptSteps: 10_000})
		for _, o := range []engine.Options{{Coverage: engine.NewCoverage()}, {Profile: engine.NewProfile()}} {
			o.ScriptSteps = 10_000
			require.Equal(t, want, runCorpus(t, source, o))
		}
	})
}

func ExampleCoverage() {
	coverage := engine.NewCoverage()
	e, err := engine.New(engine.Options{Coverage: coverage})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	script := `if redis.call('EXISTS', KEYS[1]) == 0 then
  return redis.call('SET', KEYS[1], ARGV[1])
end
return redis.call('GET', KEYS[1])`
	coverage.Name(script, "once.lua")
	for range 3 {
		if _, err := e.Eval(context.Background(), script, []string{"k"}, "v"); err != nil {
			fmt.Println(err)
		}
	}
	for _, s := range coverage.Scripts() {
		for _, l := range s.Lines {
			fmt.Printf("%s:%d ran %d times\n", s.Name, l.Line, l.Hits)
		}
		for _, b := range s.Branches {
			fmt.Printf("%s:%d:%d was true %d times, false %d times\n", s.Name, b.Line, b.Column, b.Yes, b.No)
		}
	}
	// Output:
	// once.lua:1 ran 3 times
	// once.lua:2 ran 1 times
	// once.lua:4 ran 2 times
	// once.lua:1:4 was true 1 times, false 2 times
}

func ExampleProfile() {
	profile := engine.NewProfile()
	e, err := engine.New(engine.Options{Profile: profile})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	script := "for i = 1, 3 do\n  redis.call('INCR', 'n')\nend"
	profile.Name(script, "count.lua")
	if _, err := e.Eval(context.Background(), script, nil); err != nil {
		fmt.Println(err)
	}
	for _, s := range profile.Samples() {
		if f := s.Stack[0]; f.Line == 2 {
			fmt.Printf("%s:%d ran %d times and called %d commands\n", f.File, f.Line, s.Hits, s.Commands)
		}
	}
	// Output: count.lua:2 ran 3 times and called 3 commands
}

func TestWrittenCoverageAndProfile(t *testing.T) {
	c, p := engine.NewCoverage(), engine.NewProfile()
	e := newWatched(t, engine.Options{Coverage: c, Profile: p})
	_, err := e.Eval(context.Background(), "return 1", nil)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, engine.WriteCoverage(&b, c.Scripts()))
	require.Regexp(t, regexp.MustCompile(`^\{"redmoonCoverage":1,"sha":"[0-9a-f]{40}","source":"return 1","runs":1,.*\}\n$`), b.String())
	b.Reset()
	require.NoError(t, engine.WriteProfile(&b, p))
	require.Equal(t, []byte{0x1f, 0x8b}, b.Bytes()[:2], "compressed by gzip")
}

func TestAProfileBeginsWhenItIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := time.Now()
		p := engine.NewProfile()
		time.Sleep(time.Hour)
		require.True(t, made.Equal(p.Since()))
	})
}
