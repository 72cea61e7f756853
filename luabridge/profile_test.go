package luabridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// profiled runs a script that is measured, and returns its samples as "innermost < … < outermost:
// hits calls commands".
func profiled(t *testing.T, source string, runs int) []string {
	p := NewProfile()
	p.Name(source, "a.lua")
	vm := New(Options{})
	defer vm.Close()
	s, err := CompileScript(source, CompileLimits{Profile: p})
	require.NoError(t, err)
	for range runs {
		vm.Run(newHost(), s, nil, nil)
	}
	return shownSamples(p)
}

func shownSamples(p *Profile) (out []string) {
	for _, s := range p.Samples() {
		var stack []string
		for _, f := range s.Stack {
			switch {
			case f.SHA != "":
				stack = append(stack, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
			case f.Line > 0:
				stack = append(stack, fmt.Sprintf("%s %d", f.Function, f.Line))
			default:
				stack = append(stack, f.Function)
			}
		}
		out = append(out, fmt.Sprintf("%s: %d %d %d", strings.Join(stack, " < "), s.Hits, s.Calls, s.Commands))
	}
	return out
}

func TestProfileCountsByLineAndCaller(t *testing.T) {
	require.Equal(t, []string{
		"main a.lua:3: 2 0 0", // the closure is made where the function ends
		"main a.lua:4: 2 4 0",
		"f a.lua:2 < main a.lua:4: 4 4 4",
		"redis.call ECHO < f a.lua:2 < main a.lua:4: 4 0 0",
		"f a.lua:3 < main a.lua:4: 4 0 0",
		"main a.lua:5: 2 4 2",
		"pcall < main a.lua:5: 2 0 0",
		"f a.lua:2 < pcall < main a.lua:5: 2 2 2",
		"redis.call ECHO < f a.lua:2 < pcall < main a.lua:5: 2 0 0",
		"f a.lua:3 < pcall < main a.lua:5: 2 0 0",
		"redis.pcall GET < main a.lua:5: 2 0 0",
	}, profiled(t, `local function f(x)
  redis.call('echo', x)
end
for i = 1, 2 do f(i) end
return pcall(f, 3), redis.pcall('get', 'k')`, 2))
}

func TestProfileOfTailCallsAndCoroutines(t *testing.T) {
	got := profiled(t, `local b
local function a(n) return b(n) end
function b(n)
  if n == 0 then return 0 end
  return a(n - 1)
end
local co = coroutine.wrap(function()
  a(1)
  coroutine.yield(1)
  a(0)
end)
co()
co()`, 1)
	for _, want := range []string{
		"a a.lua:2 < anonymous a.lua:8 < library function < main a.lua:12: 2 2 0",
		"b a.lua:5 < anonymous a.lua:8 < library function < main a.lua:12: 1 1 0",
		"coroutine.yield < anonymous a.lua:9 < library function < main a.lua:12: 1 0 0",
		"anonymous a.lua:10 < library function < main a.lua:13: 1 1 0",
		"b a.lua:4 < anonymous a.lua:10 < library function < main a.lua:13: 1 0 0",
	} {
		require.Contains(t, got, want, strings.Join(got, "\n"))
	}
}

// Of the names that a script gets, the first in order counts, so that a run does not depend on the
// order of files.
func TestNamesOfAProfiledScript(t *testing.T) {
	p := NewProfile()
	for _, name := range []string{"b.lua", "a.lua", "c.lua"} {
		p.Name("return 1", name)
	}
	vm := New(Options{})
	defer vm.Close()
	s, err := CompileScript("return 1", CompileLimits{Profile: p})
	require.NoError(t, err)
	vm.Run(newHost(), s, nil, nil)
	require.Equal(t, []string{"main a.lua:1: 1 0 0"}, shownSamples(p))
}

func TestProfileSurvivesErrors(t *testing.T) {
	got := profiled(t, `local function fail() error('x') end
local function deep(n)
  if n > 0 then return (deep(n - 1)) end
  fail()
end
for i = 1, 3 do
  pcall(deep, 2)
  redis.call('get', 'k')
end
redis.call('nope')`, 2)
	require.Contains(t, got, "redis.call GET < main a.lua:8: 6 0 0", strings.Join(got, "\n"))
	require.Contains(t, got, "redis.call NOPE < main a.lua:10: 2 0 0")
	require.Contains(t, got, "error < fail a.lua:1 < deep a.lua:4 < deep a.lua:3 < deep a.lua:3 < pcall < main a.lua:7: 6 0 0")
}

func TestProfileIsBounded(t *testing.T) {
	got := profiled(t, `local function down(n) if n > 0 then return 1 + down(n - 1) end return 0 end
down(5000)
for i = 1, 20000 do
  loadstring('return function() return ' .. i .. ' end', 'chunk' .. i)()()
  redis.pcall('x' .. i)
end`, 3)
	require.Less(t, len(got), 40_000)
	deepest := 0
	for _, line := range got {
		deepest = max(deepest, strings.Count(line, " < ")+1)
	}
	require.LessOrEqual(t, deepest, 130)
	require.Equal(t, 1, len(slices.DeleteFunc(got, func(s string) bool {
		return !strings.HasPrefix(s,
			"loaded code 1 < main a.lua:4: 120000 0 0")
	})))
}

func TestProfileAddsUpTimeAndMemory(t *testing.T) {
	p := NewProfile()
	vm := New(Options{})
	defer vm.Close()
	s, err := CompileScript("local t = {}\nfor i = 1, 1000 do t[i] = {} end\nreturn ('x'):rep(1000000):len()", CompileLimits{Profile: p})
	require.NoError(t, err)
	before := time.Now()
	vm.Run(newHost(), s, nil, nil)
	took := time.Since(before)
	var sum time.Duration
	bytes := map[int]int64{}
	for _, s := range p.Samples() {
		require.GreaterOrEqual(t, s.Time, time.Duration(0))
		sum += s.Time
		bytes[s.Stack[len(s.Stack)-1].Line] += s.Bytes
	}
	require.LessOrEqual(t, sum, took)
	require.GreaterOrEqual(t, bytes[2], int64(100_000), "a thousand tables")
	require.GreaterOrEqual(t, bytes[3], int64(1_000_000))
	hot, ok := vm.HotLine()
	require.True(t, ok)
	require.Equal(t, s.SHA, hot.SHA)
	require.LessOrEqual(t, hot.Time, hot.Run)
}
