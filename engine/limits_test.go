package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// Each of these scripts would take all memory.
func TestTheMemoryOfAScriptIsBounded(t *testing.T) {
	e, err := engine.New(engine.Options{ScriptMemory: 16 << 20})
	require.NoError(t, err)
	defer e.Close()
	for _, script := range []string{
		"local t = {} while true do t[#t + 1] = {} end",
		"local t, i = {}, 0 while true do i = i + 1 t['k' .. i] = i end",
		"local t = {} while true do t = {t} end",
		"local t = {} while true do t[#t + 1] = string.rep('x', 1e6) end",
		"local s = 'x' while true do s = s .. s end",
		"local s = 'x' while true do s = string.format('%s%s', s, s) end",
		"local s = string.rep('x', 1e5) while true do s = table.concat({s, s}) end",
		"local s = string.rep('x', 1e5) while true do s = s:gsub('x', 'xx') end",
		"return string.rep('x', 5e8)",
		"local t = {} while true do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t + 1] = c end",
		"local t = {} while true do local u = t t = function() return u end end",
		"local t = {} while true do pcall(function() while true do t[#t + 1] = #t .. 'y' end end) end",
		"local t = {} local co = coroutine.wrap(function() while true do t[#t + 1] = {} end end) co()",
		"local s = string.rep('x=1 ', 1e6) while true do loadstring(s) end",
	} {
		_, err := e.Eval(context.Background(), script, nil)
		require.ErrorContains(t, err, "needs more than 16777216 bytes of memory", script)
		v, err := e.Eval(context.Background(), "local t = {} for i = 1, 1000 do t[i] = i end return #t", nil)
		require.NoError(t, err)
		require.EqualValues(t, 1000, v.MustInt())
	}
}

// The data that a script has written do not count, but each reply does, however few steps it takes.
func TestALongReplyIsMemoryOfAScript(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{ScriptMemory: 16 << 20})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Eval(ctx, `redis.call('rpush', KEYS[1], string.rep('x', 1e5))
		while true do redis.call('lpush', KEYS[1], unpack(redis.call('lrange', KEYS[1], 0, 5000))) end`, []string{"l"})
	require.ErrorContains(t, err, "needs more than 16777216 bytes of memory")
	v, err := e.Do(ctx, "LLEN", "l")
	require.NoError(t, err)
	require.EqualValues(t, 256, v.MustInt(), "256 texts of 100,000 bytes are the first that are too many")
}

// A reply that has one text many times needs it once.
func TestARepeatedTextOfAReplyIsOneText(t *testing.T) {
	e, err := engine.New(engine.Options{ScriptMemory: 16 << 20})
	require.NoError(t, err)
	defer e.Close()
	v, err := e.Eval(context.Background(), `redis.call('set', KEYS[1], string.rep('x', 4e6))
		local keys = {} for i = 1, 100 do keys[i] = KEYS[1] end
		return #redis.call('mget', unpack(keys))`, []string{"k"})
	require.NoError(t, err)
	require.EqualValues(t, 100, v.MustInt())
}

// Garbage does not count, however much of it there is, nor do further references to one string.
func TestGarbageIsNoMemoryOfAScript(t *testing.T) {
	e, err := engine.New(engine.Options{ScriptMemory: 16 << 20})
	require.NoError(t, err)
	defer e.Close()
	for _, script := range []string{
		"for i = 1, 100 do local s = string.rep('x', 4e6) end return 1",
		"for i = 1, 2e5 do local t = {i, {i}} end return 1",
		"local t, s = {}, string.rep('x', 4e6) for i = 1, 1000 do t[i] = s end return 1",
	} {
		v, err := e.Eval(context.Background(), script, nil)
		require.NoError(t, err, script)
		require.EqualValues(t, 1, v.MustInt())
	}
}

func TestTheStepsOfAScriptAreBounded(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{ScriptSteps: 10000})
	require.NoError(t, err)
	defer e.Close()
	for _, script := range []string{
		"while true do end",
		"for i = 1, 1e18 do end",
		"while true do pcall(function() while true do end end) end",
		"local function f() return f() end f()",
		"while true do redis.call('get', 'k') end",
		"local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end",
		"return string.find(string.rep('a', 25), string.rep('a?', 25) .. string.rep('a', 25))",
		"local t = {} for i = 1, 9000 do t[i] = i end table.sort(t)",
		"return load(function() return ' ' end)",
	} {
		_, err := e.Eval(ctx, script, nil)
		require.ErrorContains(t, err, "takes more than 10000 steps", script)
	}

	// The count is exact: a script with exactly that many steps always succeeds, one with one more
	// never.
	const loop = "for i = 1, tonumber(ARGV[1]) do end return 1"
	most := 0
	for n := 9900; n <= 10000; n++ {
		if _, err := e.Eval(ctx, loop, nil, n); err == nil {
			most = n
		}
	}
	require.Greater(t, most, 9900)
	for range 10 {
		_, err = e.Eval(ctx, loop, nil, most)
		require.NoError(t, err)
		_, err = e.Eval(ctx, loop, nil, most+1)
		require.Error(t, err)
	}
	// Earlier writes of the script stay.
	_, err = e.Eval(ctx, "redis.call('set', 'k', 'v') while true do end", nil)
	require.Error(t, err)
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
}
