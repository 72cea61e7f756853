package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// What engines share cannot be changed through one of them: each has its own parameters, users,
// counters, scripts, functions and settings of libraries. The race detector looks at the rest.
func TestManyEnginesAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			e, err := engine.New(engine.Options{Config: map[string]string{"hash-max-listpack-entries": fmt.Sprint(i)}})
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close()
			for _, step := range stepsOf(i) {
				v, err := e.DoStrings(context.Background(), step.args...)
				if err != nil {
					t.Errorf("engine %d: %q: %v", i, step.args, err)
				} else if got := v.String(); !strings.Contains(got, step.want) {
					t.Errorf("engine %d: %q: %q is not in %q", i, step.args, step.want, got)
				}
			}
		})
	}
	all.Wait()
}

// step is a command and a part of its reply as text.
type step struct {
	args []string
	want string
}

// stepsOf are commands of engine i that change what is its own, and look.
func stepsOf(i int) []step {
	n := fmt.Sprint(i)
	eval := func(script, want string) step { return step{[]string{"EVAL", script, "1", "k", n}, want} }
	return []step{
		{[]string{"CONFIG", "SET", "maxmemory", "10000000" + n, "notify-keyspace-events", "KEA", "slowlog-log-slower-than", n}, "OK"},
		{[]string{"CONFIG", "GET", "maxmemory"}, `"10000000` + n + `"`},
		{[]string{"CONFIG", "GET", "hash-max-listpack-entries"}, `"` + n + `"`},
		{[]string{"CONFIG", "GET", "*"}, "dir"},
		{[]string{"ACL", "SETUSER", "u" + n, "on", "+get", "~" + n}, "OK"},
		{[]string{"ACL", "LIST"}, "user u" + n + " on"},
		{[]string{"HSET", "k", "f", n}, "1"},
		eval("return redis.call('HGET', KEYS[1], 'f') .. ':' .. ARGV[1]", n+":"+n),
		eval("cjson.encode_max_depth(tonumber(ARGV[1]) + 3) math.randomseed(ARGV[1]) return 1", "1"),
		eval("return cjson.encode_max_depth()", fmt.Sprint(i+3)),
		eval("local s = '' for k in pairs(string) do s = s .. k end return s .. #s", "rep"),
		eval("local t = setmetatable({}, redis) return tostring(pcall(function() getmetatable(t).call = 1 end))", "false"),
	}
}

// A script counts as one of each engine that has it, whoever else runs the same text.
func TestTheSameScriptOnManyEngines(t *testing.T) {
	source := "local function f(n) return n + 1 end return f(#KEYS) --" + strings.Repeat("x", 500)
	var all sync.WaitGroup
	used := make([]string, 16)
	for i := range used {
		all.Go(func() {
			e, err := engine.New(engine.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close()
			sha, err := e.DoStrings(context.Background(), "SCRIPT", "LOAD", source)
			if err != nil {
				t.Error(err)
			}
			v, err := e.DoStrings(context.Background(), "EVALSHA", sha.Text(), "2", "a", "b")
			if err != nil || v.MustInt() != 3 {
				t.Error(v, err)
			}
			info, err := e.DoStrings(context.Background(), "INFO", "memory")
			if err != nil {
				t.Error(err)
			}
			for _, line := range strings.Split(info.Text(), "\r\n") {
				if strings.HasPrefix(line, "used_memory_scripts") || strings.HasPrefix(line, "number_of_cached_scripts") {
					used[i] += line + "\n"
				}
			}
		})
	}
	all.Wait()
	require.Contains(t, used[0], "number_of_cached_scripts:1")
	for _, text := range used {
		require.Equal(t, used[0], text)
	}
}
