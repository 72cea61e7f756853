//go:build linux

package engine_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// runaways are scripts that do not end, or would take all memory or stack that there is.
var runaways = []string{
	"while true do end",
	"repeat until false",
	"for i = 1, 1e18 do end",
	"local function f() return 1 + f() end return f()",
	"local t t = setmetatable({}, {__index = function(_, k) return t[k + 1] end}) return t[1]",
	"local function f() return pcall(f) end return f()",
	"local function f() return coroutine.wrap(f)() end return f()",
	"local t = setmetatable({}, {__concat = function(a, b) return a .. b end}) return t .. t",
	"while true do pcall(function() while true do end end) end",
	"xpcall(function() while true do end end, function() while true do end end)",
	"local e = setmetatable({}, {__tostring = function() while true do end end}) while true do pcall(error, e) tostring(e) end",
	"error(setmetatable({}, {__index = function() while true do end end}))",
	"local s = 'x' while true do s = s .. s end",
	"local t = {} while true do t[#t + 1] = string.rep('x', 5e8) end",
	"return string.rep('x', 1e9)",
	"local t, s = {}, string.rep('x', 1e6) for i = 1, 2000 do t[i] = s end return #table.concat(t)",
	"local s = string.rep('x', 1e8) while true do s = string.format('%s%s', s, s) end",
	"return #string.gsub(string.rep('x', 1e7), 'x', string.rep('y', 1e6))",
	"string.gsub(string.rep('x', 1e7), 'x', function() while true do end end)",
	"local t = {} while true do t[#t + 1] = {} end",
	"local t, i = {}, 0 while true do i = i + 1 t['k' .. i] = i end",
	"local t = {} while true do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t + 1] = c end",
	"while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
	"return string.find(string.rep('a', 30), string.rep('a?', 30) .. string.rep('a', 30))",
	"return string.find(string.rep('a', 2e5), string.rep('.-', 200) .. 'b')",
	"return string.match(string.rep('(', 2e5), '%b()')",
	"local t = {} for i = 1, 1e5 do t[i] = i % 7 end while true do pcall(table.sort, t, function() return true end) end",
	"return cmsgpack.unpack(string.rep('\\145', 1e7))",
	"return cjson.decode(string.rep('[', 1e7))",
	"local t = {} t[1] = t return cjson.encode(t)",
	"local t = {} t[1] = t return cmsgpack.pack(t)",
	"local t = {} t[1] = t return t",
	"local t = {} for i = 1, 1e5 do t = {t} end return t",
	"local t = {} for i = 1, 1e5 do t[i] = i end while true do cjson.encode(t) cmsgpack.pack(t) end",
	"return loadstring('return ' .. string.rep('1+', 1e6) .. '1')",
	"return loadstring('return ' .. string.rep('-', 1e6) .. '1')",
	"return loadstring('return a' .. string.rep('()', 1e6))",
	"return loadstring('return a' .. string.rep('.a', 1e6))",
	"return loadstring('if a then ' .. string.rep(' elseif b then ', 1e5) .. ' end')",
	"return loadstring('return ' .. string.rep('a and ', 1e5) .. '1')",
	"while true do loadstring(string.rep('x = 1 ', 3e4)) end",
	"load(function() return ' ' end)",
	"while true do redis.call('get', KEYS[1]) end",
	"while true do redis.pcall('nosuch') end",
	"local s = string.rep('x', 1e8) while true do redis.sha1hex(s) s:upper() s:reverse() end",
	"local s = string.rep('a', 1e8) while true do s:find(string.rep('a', 1e6) .. 'b', 1, true) end",
}

const runawayChild = "REDMOON_RUNAWAY_CHILD"

// TestRunawaysInASmallProcess lets scripts run away in a process that has little memory: none takes it down, each can be ended, and the
// engine goes on.
func TestRunawaysInASmallProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestRunawayChild$", "-test.v")
	cmd.Env = append(os.Environ(), runawayChild+"=1", "GOMEMLIMIT=512MiB")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestRunawayChild")
}

// TestRunawayChild is the other process.
func TestRunawayChild(t *testing.T) {
	if os.Getenv(runawayChild) == "" {
		t.Skip("runs in a process of its own")
	}
	const room = 4 << 30
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: room, Max: room}))
	ctx := context.Background()
	e, err := engine.New(engine.Options{Config: map[string]string{"busy-reply-threshold": "5"}})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "PING")
	require.NoError(t, err)
	before := runtime.NumGoroutine()
	for _, script := range runaways {
		t.Log(script)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = e.Eval(ctx, script, []string{"k"})
		}()
		for running := true; running; {
			select {
			case <-ended:
				running = false
			default:
				_, _ = e.Do(ctx, "SCRIPT", "KILL")
			}
		}
		_, err := e.Do(ctx, "PING")
		require.NoError(t, err)
	}
	require.NoError(t, e.Check(ctx))
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 20e9, 1e7, "goroutines are left")
}
