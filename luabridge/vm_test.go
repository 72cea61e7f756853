package luabridge

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/reply"
)

func TestRepliesOfScripts(t *testing.T) {
	vm := newVM(t)
	for source, want := range map[string]string{
		"return 1": "1",
		"return {1, 'a', true, false, {2.9}, nil, 3}": `[1 "a" 1 nil [2]]`,
		"return {ok = 'fine'}":                        "+fine",
		"return {err = 'E bad'}":                      "-E bad",
		"return redis.call('echo', 0.1)":              `"0.10000000000000001"`,
		"local a, b = 1, 2 a, b = b, a return {a, b}": "[2 1]",
		"local f = function() return f end return f()": "-ERR user_script:1: Script attempted to access nonexistent global variable 'f'" +
			" script: 3c86a9ba2ffe7cfd00ee0bd1a2bbd3c6e2ba8dbe, on @user_script:1.",
	} {
		got := spell(eval(t, vm, source))
		if i := strings.Index(want, " script: "); i >= 0 { // not the SHA of this source
			want, got = want[:i], got[:strings.Index(got, " script: ")]
		}
		assert.Equal(t, want, got, source)
	}
}

func TestScriptCarriesSHAAndFlags(t *testing.T) {
	vm := newVM(t)
	s := compiled(t, vm, "#!lua flags=no-writes,allow-oom\nreturn 1")
	assert.Equal(t, Shebang|NoWrites|AllowOOM, s.Flags)
	assert.Equal(t, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", compiled(t, vm, "return 1").SHA)
	_, err := vm.Compile("#!js\n")
	assert.EqualError(t, err, "ERR Unexpected engine in script shebang: #!js")
	var e *reply.Error
	assert.ErrorAs(t, err, &e)
}

func TestNothingLeaksFromOneScriptIntoTheNext(t *testing.T) {
	vm := newVM(t)
	for _, source := range []string{
		"x = 1", "rawset(_G, 'x', 1)", "_G.x = 1", "redis.x = 1", "string.x = 1", "getmetatable('').__index.x = 1",
		"getmetatable(_G).__index = function() return 1 end", "loadstring('x = 1')()", "function x() end",
		"table.insert(redis, 1)", "setmetatable(_G, {__index = {x = 1}})",
	} {
		assert.True(t, eval(t, vm, source).IsError(), source)
	}
	assert.True(t, eval(t, vm, "return x").IsError())
	assert.Equal(t, "[nil nil]", spell(eval(t, vm, "return {rawget(_G, 'x') or false, rawget(redis, 'x') or false}")))
}

func TestKeysOfTheRunBeforeAreGone(t *testing.T) {
	vm, h := newVM(t), newHost()
	vm.Run(h, compiled(t, vm, "return KEYS"), []string{"a", "b"}, []string{"x"})
	assert.Equal(t, `[["c"] []]`, spell(vm.Run(h, compiled(t, vm, "return {KEYS, ARGV}"), []string{"c"}, nil)))
	assert.Equal(t, `[["c"] []]`, spell(vm.Run(h, compiled(t, vm, "return {_G.KEYS, _G['ARGV']}"), []string{"c"}, nil)))
	assert.Equal(t, `"c"`, spell(vm.Run(h, compiled(t, vm, "return loadstring('return KEYS[1]')()"), []string{"c"}, nil)))
}

func TestArgumentsAreTheHostsOnlyDuringTheCall(t *testing.T) {
	vm, h := newVM(t), newHost()
	h.keep = true
	vm.Run(h, compiled(t, vm, "redis.call('set', 'k', 'v') redis.call('get', 'k')"), nil, nil)
	assert.Equal(t, [][]string{{"set", "k", "v"}, {"get", "k"}}, h.calls)
}

func TestInterruptStopsWhatPcallCannotCatch(t *testing.T) {
	for _, source := range []string{
		"redis.call('stop') while true do end",
		"redis.call('stop') repeat until false",
		"redis.call('stop') while true do pcall(function() while true do end end) end",
		"redis.call('stop') while true do xpcall(error, function() end) end",
		"redis.call('stop') local function f() return f() end f()",
		"redis.call('stop') local co = coroutine.wrap(function() while true do end end) while true do pcall(co) end",
		"redis.call('stop') while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
		"redis.call('stop') redis.call('get', 'k') return 1",
		"redis.call('stop') loadstring('while true do end')()",
		"redis.call('stop') _G['load' .. 'string']('while true do end')()",
	} {
		vm, h := newVM(t), newHost()
		h.onCall = func(args []string) {
			if args[0] == "stop" {
				vm.Interrupt("ERR stopped by the test")
			}
		}
		v := vm.Run(h, compiled(t, vm, source), nil, nil)
		assert.Equal(t, "-ERR stopped by the test", spell(v), source)
		assert.Equal(t, "1", spell(eval(t, vm, "return 1")), "the VM goes on")
	}
}

func TestInterruptFromAnotherGoroutine(t *testing.T) {
	vm, h := newVM(t), newHost()
	h.onCall = func([]string) { go vm.Interrupt("ERR stopped") }
	v := vm.Run(h, compiled(t, vm, "redis.call('get', 'k') while true do end"), nil, nil)
	assert.Equal(t, "-ERR stopped", spell(v))
}

func TestInterruptBeforeAScriptCanBeTakenBack(t *testing.T) {
	vm := newVM(t)
	vm.Interrupt("ERR stopped")
	vm.ClearInterrupt()
	assert.Equal(t, "1", spell(eval(t, vm, "for i = 1, 10 do end return 1")))
}

func TestGoPanicIsAnErrorOfOneScript(t *testing.T) {
	var log bytes.Buffer
	vm := New(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer vm.Close()
	for _, source := range []string{"redis.call('panic')", "pcall(redis.call, 'panic') return 1"} {
		v := eval(t, vm, source)
		assert.Equal(t, "-ERR internal error in script: a bug in a handler", spell(v))
	}
	assert.Contains(t, log.String(), "a bug in a handler")
	assert.Equal(t, "1", spell(eval(t, vm, "return 1")))
}

func TestStackOverflowIsCaught(t *testing.T) {
	vm := newVM(t)
	v := eval(t, vm, "local function f() return 1 + f() end return {pcall(f)}")
	assert.Contains(t, spell(v), "stack overflow")
	v = eval(t, vm, "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(15000)")
	assert.Equal(t, "15000", spell(v))
}

func TestLogGoesToTheLogger(t *testing.T) {
	var log bytes.Buffer
	vm := New(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer vm.Close()
	eval(t, vm, "redis.log(redis.LOG_DEBUG, 'quiet') redis.log(redis.LOG_WARNING, 'a', 1, {}, 'b')")
	assert.NotContains(t, log.String(), "quiet")
	assert.Contains(t, log.String(), `level=WARN msg="a 1 b"`)
}

func TestSetRespReachesTheHost(t *testing.T) {
	vm, h := newVM(t), newHost()
	h.answer = reply.Map(reply.Bulk("f"), reply.Double(1.5))
	s := compiled(t, vm, "redis.setresp(3) local m = redis.call('answer').map return tostring(m.f.double)")
	assert.Equal(t, `"1.5"`, spell(vm.Run(h, s, nil, nil)))
	assert.Equal(t, 3, h.proto)
	assert.Equal(t, `["f" "1.5"]`, spell(vm.Run(h, compiled(t, vm, "return redis.call('answer')"), nil, nil)), "RESP2 again")
}

func TestSetReplReachesTheHost(t *testing.T) {
	vm, h := newVM(t), newHost()
	vm.Run(h, compiled(t, vm, "redis.set_repl(redis.REPL_AOF)"), nil, nil)
	assert.True(t, h.file && !h.replicas)
	vm.Run(h, compiled(t, vm, "redis.set_repl(redis.REPL_REPLICA)"), nil, nil)
	assert.True(t, !h.file && h.replicas)
	vm.Run(h, compiled(t, vm, "redis.set_repl(redis.REPL_NONE)"), nil, nil)
	assert.False(t, h.file || h.replicas)
}

func TestACLCheckCmd(t *testing.T) {
	vm := newVM(t)
	assert.Equal(t, "[1 nil]", spell(eval(t, vm, "return {redis.acl_check_cmd('get', 'k'), redis.acl_check_cmd('forbidden')}")))
	assert.Contains(t, spell(eval(t, vm, "return redis.acl_check_cmd('nope')")), "Invalid command passed to redis.acl_check_cmd()")
}

func TestRandomSequenceIsTheSameEverywhere(t *testing.T) {
	const source = "return {math.random(1000), math.random(1000), math.random(1000)}"
	assert.Equal(t, spell(eval(t, newVM(t), source)), spell(eval(t, newVM(t), source)))
}

func TestCjsonSettingsStayUntilReset(t *testing.T) {
	vm := newVM(t)
	eval(t, vm, "cjson.encode_max_depth(5)")
	assert.Equal(t, "5", spell(eval(t, vm, "return cjson.encode_max_depth()")))
	vm.Reset()
	assert.Equal(t, "1000", spell(eval(t, vm, "return cjson.encode_max_depth()")))
}

func TestRunErrorsAreErrorReplies(t *testing.T) {
	vm := newVM(t)
	for source, want := range map[string]string{
		"error({})":                      "-ERR execution failure",
		"unpack({}, 0, 2147483647)":      "-ERR user_script:1: ",
		"local t = {} t.t = t return t":  "[]",
		"local t = {} t[1] = t return t": "[",
	} {
		v := eval(t, vm, source)
		require.True(t, strings.HasPrefix(spell(v), want), "%s: %.80s", source, spell(v))
	}
}

func TestDeepRecursionLeavesNoLargeStack(t *testing.T) {
	vm := newVM(t)
	deep := compiled(t, vm,
		"local function f(n) local a,b,c,d,e,f2 = 1,2,3,4,5,6 if n > 0 then return 1 + f(n-1) end return 0 end return f(15000)")
	require.Equal(t, reply.Int(15000), vm.Run(benchHost{}, deep, nil, nil))
	assert.Less(t, machine.Room(vm.L), 1<<14)
	caught := compiled(t, vm, "local function f() return 1 + f() end return {pcall(f)}")
	vm.Run(benchHost{}, caught, nil, nil)
	for _, th := range vm.spare {
		assert.Less(t, machine.Room(th), 1<<14)
	}
}
