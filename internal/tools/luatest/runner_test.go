package luatest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/reply"
)

// write writes test files into a new folder, and returns it.
func write(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

// collected is a reporter that keeps what it gets.
type collected struct {
	files   []luatest.FileResult
	summary luatest.Summary
}

func (c *collected) File(f luatest.FileResult) { c.files = append(c.files, f) }

func (c *collected) End(s luatest.Summary) { c.summary = s }

// lines describes the results.
func (c *collected) lines() (lines []string) {
	for _, f := range c.files {
		for _, r := range f.Results {
			line := r.Name() + ": " + r.Status.String()
			for _, p := range r.Problems {
				message, _, _ := strings.Cut(p.Message, "\n")
				line += ": " + message
			}
			if r.Reason != "" {
				line += ": " + r.Reason
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func runAll(t *testing.T, dir string, opt *luatest.Options) *collected {
	files, err := luatest.Find([]string{dir})
	require.NoError(t, err)
	c := &collected{}
	_, err = luatest.Run(context.Background(), files, opt, c)
	require.NoError(t, err)
	return c
}

const three = `describe('a', function() it('1 #slow', function() end) it('2', function() end) end) it('3', function() error('x', 0) end)`

func TestFilter(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": three})
	for filter, want := range map[string][]string{
		"":      {"a 1 #slow: passed", "a 2: passed", "3: error: x"},
		"#slow": {"a 1 #slow: passed"},
		"^a ":   {"a 1 #slow: passed", "a 2: passed"},
		"none":  nil,
	} {
		require.Equal(t, want, runAll(t, dir, &luatest.Options{Filter: regexp.MustCompile(filter)}).lines())
	}
	require.Equal(t, []string{"a 2: passed"}, runAll(t, dir, &luatest.Options{FilterOut: regexp.MustCompile("slow|3")}).lines())
}

// A block whose tests are all left out does not run its setup.
func TestSetupOfALeftOutBlockDoesNotRun(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		describe('a', function() setup(error) it('1', function() end) end)
		it('2', function() end)`})
	require.Equal(t, []string{"2: passed"}, runAll(t, dir, &luatest.Options{Filter: regexp.MustCompile("2")}).lines())
}

func TestFailFast(t *testing.T) {
	dir := write(t, map[string]string{"a_test.lua": "it('1', error) it('2', error)", "b_test.lua": "it('3', error)"})
	c := runAll(t, dir, &luatest.Options{FailFast: true})
	require.Len(t, c.lines(), 1)
	require.True(t, c.summary.Stopped)
}

func TestTimeouts(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		it('loops', function() while true do end end)
		it('loops and catches', function() while true do pcall(function() while true do end end) end end)
		it('waits', function() redis.call('BLPOP', 'l', 0) end)
		it('has a script that loops', function() script('while true do end'):run() end)
		it('has a stub that loops', function() stub('GET', function() while true do end end) redis.call('GET', 'k') end)
		it('has a comparison that loops', function() assert.matches(('a*'):rep(30) .. 'b', ('a'):rep(60)) end)
		describe('hooks', function()
			after_each(function() error('never') end)
			it('are not run', function() while true do end end)
		end)
		it('goes on', function() redis.call('SET', 'k', 1) assert.keyspace{k = 1} end)`})
	c := runAll(t, dir, soon(7))
	const late = "error: stopped: it takes longer than 10s"
	require.Equal(t, []string{"loops: " + late, "loops and catches: " + late, "waits: " + late, "has a script that loops: " + late,
		"has a stub that loops: " + late, "has a comparison that loops: " + late, "hooks are not run: " + late, "goes on: passed"}, c.lines())
}

// soon returns options by which the first n tests of a file time out soon, and the others never.
func soon(n int) *luatest.Options {
	return soonIf(func(test int) bool { return test >= 1 && test <= n })
}

// soonIf returns options by which the tests of a file that late names time out soon, and the others
// never. Tests count from 1; 0 is the text of the file.
func soonIf(late func(test int) bool) *luatest.Options {
	test := -1
	opt := &luatest.Options{}
	luatest.SetAfter(opt, func(_ time.Duration, f func()) func() bool {
		if test++; !late(test) {
			return func() bool { return false }
		}
		return time.AfterFunc(50*time.Millisecond, f).Stop
	})
	return opt
}

func TestTheTextOfAFileCanTimeOut(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": "while true do end"})
	c := runAll(t, dir, soonIf(func(test int) bool { return test == 0 }))
	require.Equal(t, []string{"the file does not run: error: stopped: it takes longer than 10s"}, c.lines())
}

func TestAStoppedRun(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": "it('1', function() while true do end end) it('2', function() end)"})
	ctx, stop := context.WithCancel(context.Background())
	f, err := luatest.Load(ctx, filepath.Join(dir, "x_test.lua"), &luatest.Options{})
	require.NoError(t, err)
	defer f.Close()
	stop()
	result := f.Run()
	require.True(t, result.Stopped)
	require.Empty(t, result.Results)
}

// Whatever a test does, the process goes on, and so do the next tests.
func TestHostileTests(t *testing.T) {
	tier.Landing(t)
	dir := write(t, map[string]string{"x_test.lua": `
		it('recurses', function() local function f() return 1 + f() end f() end)
		it('recurses through the framework', function()
			local function f() return 1 + spy.new(f)() end f()
		end)
		it('recurses in a metamethod', function() local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x end)
		it('fills memory', function() local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end)
		it('compares what is deep', function() local a, b = {}, {} for i = 1, 1e5 do a, b = {a}, {b} end assert.are.same(a, b) end)
		it('shows what is large', function() local t = {} for i = 1, 1e5 do t[i] = {i} end assert.are.same({}, t) end)
		it('prints a lot', function() while true do print(('x'):rep(1000)) end end)
		it('has an endless script', function() redis.call('SET', 'k', 1) script("redis.call('INCR', KEYS[1]) while true do end"):run{'k'} end)
		it('clears the globals', function() local g = _G for k in pairs(g) do g[k] = nil end end)
		it('breaks the words', function() tostring, assert, string.format = nil, nil, nil print({}) end)
		it('has them again', function() assert.are.equal('1', tostring(1)) end)
		it('kills the server', function() redis.call('SHUTDOWN', 'NOSAVE') end)
		it('debugs', function() redis.call('DEBUG', 'SLEEP', 100000) end)
		it('goes on', function() redis.call('SET', 'k', 1) end)`})
	c := runAll(t, dir, soonIf(func(test int) bool { return test == 8 })) // the endless script
	want := []string{
		"recurses: error: .*stack overflow",
		"recurses through the framework: error: .*C stack overflow",
		"recurses in a metamethod: error: .*C stack overflow",
		"fills memory: error: stopped: it needs more than 536870912 bytes of memory",
		"compares what is deep: error: .*nested more than 2000 levels deep",
		"shows what is large: failed: expected to be the same:",
		"prints a lot: error: .*a test may print at most 262144 bytes",
		"has an endless script: error: stopped: it takes longer than 10s",
		"clears the globals: passed",
		"breaks the words: .*",
		"has them again: passed",
		"kills the server: error: .*",
		"debugs: passed",
		"goes on: passed",
	}
	lines := c.lines()
	require.Len(t, lines, len(want), lines)
	for i, line := range lines {
		require.Regexp(t, "^"+want[i]+"$", line)
	}
}

// Tests, files and pairs have another order, which the seed repeats.
func TestShuffle(t *testing.T) {
	files := map[string]string{}
	for i := range 4 {
		files[fmt.Sprintf("%d_test.lua", i)] = `
			for i = 1, 5 do it('test ' .. i, function()
				local order = ''
				for k in pairs({a = 1, b = 2, c = 3, d = 4}) do order = order .. k end
				print(order .. script("local s = '' for k in pairs({e = 1, f = 2, g = 3, h = 4}) do s = s .. k end return s"):run())
			end) end`
	}
	dir := write(t, files)
	show := func(seed uint64, parallel int) string {
		var b strings.Builder
		for _, f := range runAll(t, dir, &luatest.Options{Seed: seed, Parallel: parallel}).files {
			b.WriteString(filepath.Base(f.Path) + "\n")
			for _, r := range f.Results {
				b.WriteString(r.Name() + " " + r.Output)
			}
		}
		return b.String()
	}
	plain := show(0, 1)
	require.True(t, strings.HasPrefix(plain, "0_test.lua\ntest 1 "), plain)
	orders, walks := map[string]bool{}, map[string]bool{}
	for seed := range uint64(6) {
		text := show(seed+1, 1)
		require.Equal(t, text, show(seed+1, 4), "the same order for the same seed, also in parallel")
		orders[text] = true
		walks[regexp.MustCompile(`[a-h]{8}`).FindString(text)] = true
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		require.Len(t, lines, 25)
	}
	require.Len(t, orders, 6)
	require.Greater(t, len(walks), 3)
}

func TestParallel(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("%02d_test.lua", i)] = "for i = 1, 5 do it('t' .. i, function() redis.call('INCR', 'n') assert.keyspace{n = 1} end) end"
	}
	var mu sync.Mutex
	done := 0
	c := runAll(t, write(t, files), &luatest.Options{Parallel: 4, Done: func(luatest.Result) {
		mu.Lock()
		defer mu.Unlock()
		done++
	}})
	require.Equal(t, 60, done)
	require.Equal(t, 60, c.summary.Counts[luatest.Passed])
	require.True(t, slices.IsSortedFunc(c.files, func(a, b luatest.FileResult) int { return strings.Compare(a.Path, b.Path) }))
}

func TestFind(t *testing.T) {
	dir := write(t, map[string]string{"a_test.lua": "", "b.lua": "", "sub/c_test.lua": "", ".hidden/d_test.lua": "",
		"node_modules/e_test.lua": "", "none/x.lua": ""})
	find := func(paths ...string) (names []string, err error) {
		for i := range paths {
			paths[i] = filepath.Join(dir, paths[i])
		}
		files, err := luatest.Find(paths)
		for _, f := range files {
			name, _ := filepath.Rel(dir, f)
			names = append(names, filepath.ToSlash(name))
		}
		return names, err
	}
	names, err := find(".")
	require.NoError(t, err)
	require.Equal(t, []string{"a_test.lua", "sub/c_test.lua"}, names)
	names, err = find("b.lua", "a_test.lua", ".")
	require.NoError(t, err)
	require.Equal(t, []string{"b.lua", "a_test.lua", "sub/c_test.lua"}, names)
	names, err = find("*/*_test.lua")
	require.NoError(t, err)
	require.Equal(t, []string{".hidden/d_test.lua", "node_modules/e_test.lua", "sub/c_test.lua"}, names)
	_, err = find("nosuch")
	require.ErrorContains(t, err, "no such file")
	_, err = find("none")
	require.ErrorContains(t, err, "there are no files *_test.lua")
	_, err = find("nosuch*")
	require.ErrorContains(t, err, "there are no files *_test.lua")
}

func TestList(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": "describe('a', function()\n it('1', error)\n pending('2')\nend)", "bad.lua": "x ="})
	var lines []string
	note := func(path string, line int, name string) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", filepath.Base(path), line, name))
	}
	require.NoError(t, luatest.List(context.Background(), []string{filepath.Join(dir, "x_test.lua")}, &luatest.Options{}, note))
	require.Equal(t, []string{"x_test.lua:2: a 1", "x_test.lua:3: a 2"}, lines)
	err := luatest.List(context.Background(), []string{filepath.Join(dir, "bad.lua")}, &luatest.Options{}, note)
	require.ErrorContains(t, err, "bad.lua:1: unexpected symbol")
}

func TestSnapshots(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		it('a', function() assert.matches_snapshot(1) end)
		it('b', function() assert.matches_snapshot(2) end)`})
	c := runAll(t, dir, &luatest.Options{})
	require.Equal(t, 2, c.summary.Counts[luatest.Failed])
	c = runAll(t, dir, &luatest.Options{Update: true})
	require.Equal(t, 2, c.files[0].Snapshots.Written)
	require.Equal(t, []string{"a: passed", "b: passed"}, runAll(t, dir, &luatest.Options{}).lines())

	only := filepath.Join(dir, "x_test.lua")
	require.NoError(t, os.WriteFile(only, []byte("it('a', function() assert.matches_snapshot(1) end)"), 0o666))
	c = runAll(t, dir, &luatest.Options{})
	require.Equal(t, []string{"b 1"}, c.files[0].Snapshots.Obsolete)
	c = runAll(t, dir, &luatest.Options{Filter: regexp.MustCompile("a")})
	require.Empty(t, c.files[0].Snapshots.Obsolete, "not all tests have run")
	c = runAll(t, dir, &luatest.Options{Update: true})
	require.Equal(t, 1, c.files[0].Snapshots.Removed)
	require.Empty(t, runAll(t, dir, &luatest.Options{}).files[0].Snapshots.Obsolete)
}

// fakeServer is a server that answers some commands in its own way.
type fakeServer struct {
	sess *engine.Session
	own  map[string]reply.Value
}

func (s fakeServer) Do(ctx context.Context, args []string) (reply.Value, error) {
	if v, ok := s.own[strings.Join(args, " ")]; ok {
		return v, nil
	}
	v, err := s.sess.DoStrings(ctx, args...)
	if v.IsError() {
		err = nil
	}
	return v, err
}

func newFakeServer(t *testing.T, own map[string]reply.Value) testredis.Server {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	sess, err := e.NewSession()
	require.NoError(t, err)
	return fakeServer{sess, own}
}

func TestAgainstAServer(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		local runs = 0
		setup(function() redis.call('SET', 'base', 1) end)
		it('is the same', function() runs = runs + 1 assert.are.equal(1, runs) assert.are.equal(2, redis.call('INCR', 'base')) end)
		it('has another reply', function() redis.call('GET', 'odd') end)
		it('has another keyspace', function() redis.call('SET', 'odd', 'x') end)
		it('has another reply of a script', function() script("return redis.call('GET', KEYS[1])"):run{'base'} end)
		it('uses the clock', function() clock.advance('1s') end)
		it('reads the clock', function() assert.is_string(script("return redis.call('TIME')[1]"):run()) end)
		it('depends on the time', function()
			script("return tonumber(redis.call('TIME')[1]) > 1750000000 and 'late' or 'early'"):run()
		end)
		it('sets an absolute time', function() redis.call('SET', 'k', 1, 'EXAT', 1704067300) end)
		it('chooses', function() redis.call('SADD', 's', 'a', 'b', 'c', 'd', 'e') redis.call('SPOP', 's') end)
		it('goes on differently', function() if redis.call('GET', 'odd') then redis.call('SET', 'a', 1) end redis.call('GET', 'b') end)
		it('would empty the server', function() redis.call('FLUSHALL') end)
		it('fails', function() assert.is_true(false) end)
		it('reads what a script has called', function() script("return redis.call('GET', 'base')"):run() assert.are.equal(1, #calls()) end)
		it('has times to live', function() redis.call('SET', 'k', 1, 'EX', 100) assert.are.equal(100, redis.call('TTL', 'k')) end)
		it('has functions', function()
			library("#!lua name=l\nredis.register_function('f', function(keys) return redis.call('INCR', keys[1]) end)")
			assert.are.equal(2, fcall('f', {'base'}))
		end)
		it('has fixtures', function() fixture{a = 1, z = zset{x = 1.5}, s = set{'a', 'b'}, h = {f = 'v'}} redis.call('ZINCRBY', 'z', 1, 'x') end)
		it('is the same at last', function() runs = runs + 1 assert.are.equal(2, runs) end)`})
	server := newFakeServer(t, map[string]reply.Value{
		"GET odd": reply.Bulk("odd"), "SET odd x": reply.OK(),
		"EVAL return redis.call('GET', KEYS[1]) 1 base": reply.Err("ERR no"),
	})
	c := runAll(t, dir, &luatest.Options{Against: server})
	got := map[string]string{}
	for _, r := range c.files[0].Results {
		text := r.Status.String()
		if r.Comparison != nil {
			text += " " + strings.Join(r.Comparison.Differences, "; ")
			if len(r.Comparison.Uses) > 0 {
				text += "uses " + strings.Join(r.Comparison.Uses, ", ")
			}
			if len(r.Comparison.Loosely) > 0 {
				text += "loosely " + strings.Join(r.Comparison.Loosely, ", ")
			}
		}
		got[r.Name()] = text
	}
	require.Equal(t, map[string]string{
		"is the same":                   "passed ",
		"has another reply":             "differs GET odd\n  redmoon: (nil)\n   server: \"odd\"",
		"has another keyspace":          "differs the key odd at the end\n  redmoon: string \"x\"\n   server: does not exist",
		"has another reply of a script": "differs script KEYS [base] ARGV []\n  redmoon: \"1\"\n   server: (error) ERR no",
		"uses the clock":                "passed uses clock",
		"reads the clock":               "passed loosely TIME",
		"depends on the time":           "passed uses the time, by TIME",
		"sets an absolute time":         "passed uses the time, by SET",
		"chooses":                       "passed loosely SPOP",
		"goes on differently": "differs GET odd\n  redmoon: (nil)\n   server: \"odd\"; " +
			"the test went on differently:\n  redmoon: GET b\n   server: SET a 1; " +
			"the key a at the end\n  redmoon: does not exist\n   server: string \"1\"",
		"would empty the server":         "passed uses FLUSHALL",
		"fails":                          "failed",
		"reads what a script has called": "passed ",
		"has times to live":              "passed loosely TTL",
		"has functions":                  "passed ",
		"has fixtures":                   "passed ",
		"is the same at last":            "passed ",
	}, got)
	v, err := server.Do(context.Background(), []string{"DBSIZE"})
	require.NoError(t, err)
	require.Zero(t, v.MustInt(), "nothing remains")
	v, err = server.Do(context.Background(), []string{"FUNCTION", "LIST"})
	require.NoError(t, err)
	require.Zero(t, v.Len())
}

func TestWatcher(t *testing.T) {
	dir := write(t, map[string]string{"a_test.lua": "script('s.lua') it('x', function() end)",
		"b_test.lua": "it('y', function() end)", "s.lua": "return 1"})
	ticks := make(chan time.Time)
	w := luatest.Watcher{Paths: []string{dir}, Tick: func() (<-chan time.Time, func()) { return ticks, func() {} }}
	files, err := luatest.Find(w.Paths)
	require.NoError(t, err)
	run := func(files []string) {
		w.Begin(files)
		for _, path := range files {
			w.Ran(runFile(t, path, &luatest.Options{}))
		}
	}
	run(files)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	// changed waits until the watcher has noticed what change does.
	changed := func(change func()) (names []string) {
		found := make(chan []string)
		go func() { found <- w.Wait(ctx) }()
		ticks <- time.Time{} // nothing has changed yet
		ticks <- time.Time{}
		change()
		for {
			select {
			case ticks <- time.Time{}:
			case files = <-found:
				for _, f := range files {
					names = append(names, filepath.Base(f))
				}
				return names
			}
		}
	}
	put := func(name, text string) func() {
		return func() { require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)) }
	}
	require.Equal(t, []string{"a_test.lua"}, changed(put("s.lua", "return 12")))
	run(files)
	require.Equal(t, []string{"b_test.lua"}, changed(put("b_test.lua", "it('longer', function() end)")))
	run(files)
	require.Equal(t, []string{"c_test.lua"}, changed(put("c_test.lua", "it('new', function() script('s.lua') end)")))
	run(files)
	require.Equal(t, []string{"a_test.lua", "c_test.lua"}, changed(put("s.lua", "return 1234")))
	stop()
	require.Nil(t, w.Wait(ctx))
}

// Around wraps each block and each test.
func TestAround(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": three})
	var depth int
	var lines []string
	opt := &luatest.Options{}
	opt.Around = func(name string, run func() []luatest.Result) {
		if name == "2" {
			return // left out
		}
		depth++
		results := run()
		depth--
		lines = append(lines, fmt.Sprintf("%d %s %d", depth, name, len(results)))
	}
	c := runAll(t, dir, opt)
	require.Equal(t, []string{"1 1 #slow 1", "0 a 1", "0 3 1"}, lines)
	require.Len(t, c.lines(), 2)
}

// Coverage counts on the engines of all tests, and OnScript sees every script.
func TestCoverageAndOnScript(t *testing.T) {
	dir := write(t, map[string]string{"s.lua": "local a = 1\n", "x_test.lua": `
		it('1', function() script('s.lua', 'return 2'):run() end)
		it('2', function() redis.call('PING') end)
		it('3', function() end)`})
	counts := engine.NewCoverage()
	var sources []testredis.Source
	runAll(t, dir, &luatest.Options{Coverage: counts,
		OnScript: func(s testredis.Source) { sources = append(sources, s) }})
	scripts := counts.Scripts()
	require.Len(t, scripts, 1)
	require.Equal(t, []engine.LineCoverage{{Line: 1, Hits: 1}, {Line: 2, Hits: 1}}, scripts[0].Lines)
	require.Len(t, sources, 1)
	require.Equal(t, "local a = 1\nreturn 2", sources[0].Text)
	piece, line, ok := sources[0].Place(2)
	require.True(t, ok)
	require.Equal(t, "", piece.Path)
	require.Equal(t, 1, line)
	piece, line, _ = sources[0].Place(1)
	require.Equal(t, filepath.Join(dir, "s.lua"), piece.Path)
	require.Equal(t, 1, line)
}
