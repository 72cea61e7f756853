package luabridge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

func TestDebuggerIsNotifiedOfCommandsAndTexts(t *testing.T) {
	d := &scriptedDebugger{}
	v := debug(t, d, `local b = redis.breakpoint()
redis.debug('a', {1}, nil, 2.5)
redis.log(redis.LOG_WARNING, 'x', 1)
redis.call('SET', 'k', 1)
local r = redis.pcall('FAIL')
return tostring(b) .. r.err .. #redis.call('GET', 'k')`)
	require.Equal(t, "trueERR failed5", v.Text())
	require.Equal(t, []string{
		"breakpoint",
		`print "a" {1=1} nil 2.5`,
		"log 3 x 1",
		"call SET k 1", "reply SET k 1 SET+k+1",
		"call FAIL", "reply FAIL ERR failed",
		"call GET k", "reply GET k GET+k",
	}, d.reported)
}

func TestDebuggerIsNotifiedOfErrorsOnce(t *testing.T) {
	for src, want := range map[string][]string{
		"error('x')":             {`raise "user_script:1: x" false`},
		"error({err = 'x'})":     {`raise {"err"="x"} false`},
		"pcall(error, 'x')":      {`raise "x" true`},
		"local t = nil; t.x = 1": {`raise "user_script:1: attempt to index local 't' (a nil value)" false`},
		"xpcall(function() error('x') end, function(e) return e end)": {`raise "user_script:1: x" true`},
		"redis.call('FAIL')":        {"call FAIL", "reply FAIL ERR failed", `raise {"ignore_error_stats_update"=true "err"="ERR failed"} false`},
		"redis.pcall('FAIL')":       {"call FAIL", "reply FAIL ERR failed"},
		"pcall(redis.call, 'FAIL')": {"call FAIL", "reply FAIL ERR failed", `raise {"ignore_error_stats_update"=true "err"="ERR failed"} true`},
		"nosuch()":                  {`raise "user_script:1: Script attempted to access nonexistent global variable 'nosuch'" false`},
		"coroutine.resume(coroutine.create(function() error('x') end))":                   {`raise "user_script:1: x" true`},
		"coroutine.wrap(function() error('x') end)()":                                     {`raise "user_script:1: x" false`},
		"pcall(coroutine.wrap(function() error('x') end))":                                {`raise "user_script:1: x" true`},
		"coroutine.wrap(function() pcall(error, 'x') end)()":                              {`raise "x" true`},
		"coroutine.wrap(function() coroutine.wrap(function() error('x', 0) end)() end)()": {`raise "x" false`},
		"pcall(function() pcall(error, 'x') error('y', 0) end)":                           {`raise "x" true`, `raise "y" true`},
		"local function f() return f() + 1 end return pcall(f)":                           {`raise "user_script:1: stack overflow" true`},
		"assert(false)":                {`raise "user_script:1: assertion failed!" false`},
		"local ok = pcall(string.rep)": {`raise "bad argument #1 to '?' (string expected, got no value)" true`},
	} {
		d := &scriptedDebugger{}
		debug(t, d, src)
		require.Equal(t, want, d.reported, src)
	}
}

func TestAnErrorIsReportedWhileWhatFailedIsInProgress(t *testing.T) {
	var frames []string
	d := &scriptedDebugger{raise: func(s *luabridge.Stack, _ luabridge.Value, _ bool) {
		for _, f := range s.Frames() {
			frames = append(frames, f.Name)
		}
		values, err := s.Eval(1, "=e", "v")
		require.NoError(t, err)
		require.Equal(t, "7", show(values[0]))
	}}
	debug(t, d, `local function inner(v)
  error('x')
end
pcall(function()
  inner(7)
end)`)
	require.Equal(t, []string{"error", "inner", "", "pcall", "main chunk"}, frames)
}

// atStop runs a script and calls f once, at a place where a debugger is notified.
func atStop(t *testing.T, where, src string, f func(s *luabridge.Stack)) (reported []string, v string) {
	d := &scriptedDebugger{}
	done := false
	once := func(s *luabridge.Stack) {
		if !done {
			done = true
			f(s)
		}
	}
	switch where {
	case "line":
		d.line = func(s *luabridge.Stack, line int) {
			if line == 3 {
				once(s)
			}
		}
	case "call":
		d.call = func(s *luabridge.Stack, _ []string) { once(s) }
	case "reply":
		d.reply = func(s *luabridge.Stack, _ []string, _ reply.Value) { once(s) }
	case "breakpoint":
		d.brk = func(s *luabridge.Stack) bool { once(s); return true }
	case "print":
		d.print = func(s *luabridge.Stack, _ []luabridge.Value) { once(s) }
	case "raise":
		d.raise = func(s *luabridge.Stack, _ luabridge.Value, _ bool) { once(s) }
	}
	r := debug(t, d, src)
	require.True(t, done, where)
	return d.reported, r.Text()
}

// wraps are ways in which the code that stops may run.
var wraps = map[string]string{
	"script":    "%s return 'end'",
	"pcall":     "return tostring(select(2, pcall(function() %s return 'end' end)))",
	"coroutine": "return tostring(select(2, coroutine.resume(coroutine.create(function() %s return 'end' end))))",
	"wrap":      "return tostring(select(2, pcall(coroutine.wrap(function() %s return 'end' end))))",
	"sort":      "return tostring(select(2, pcall(table.sort, {1, 2}, function() %s return false end)))",
}

const stopping = `local n = 1
n = n + 1
n = n + 1
redis.call('GET', 'k')
redis.breakpoint()
redis.debug('x')
pcall(error, 'own')
`

func TestRaiseAtAStop(t *testing.T) {
	for _, where := range []string{"line", "call", "reply", "breakpoint", "print"} {
		for name, wrap := range wraps {
			reported, v := atStop(t, where, strings.Replace(wrap, "%s", stopping, 1), func(s *luabridge.Stack) { s.Raise("ERR of the debugger") })
			if name == "script" {
				require.Contains(t, v, "ERR of the debugger script: ", where)
			} else {
				require.NotContains(t, v, "end", name)
			}
			if name == "pcall" || name == "wrap" {
				require.Equal(t, "ERR of the debugger", v, where)
			}
			require.Contains(t, strings.Join(reported, "\n"), "of the debugger", where+name)
		}
	}
}

func TestAbortAtAStop(t *testing.T) {
	for _, where := range []string{"line", "call", "reply", "breakpoint", "print", "raise"} {
		for name, wrap := range wraps {
			reported, v := atStop(t, where, strings.Replace(wrap, "%s", stopping, 1), func(s *luabridge.Stack) { s.Abort("ERR aborted") })
			require.Equal(t, "ERR aborted", v, where+name)
			require.NotContains(t, strings.Join(reported, "\n"), "killed", where+name)
		}
	}
}

func TestAVMWorksAfterAnAbort(t *testing.T) {
	vm := luabridge.New(luabridge.Options{})
	t.Cleanup(vm.Close)
	s, err := vm.Compile("local n = 0\nfor i = 1, 3 do\nn = n + i\nend\nreturn n")
	require.NoError(t, err)
	d := &scriptedDebugger{line: func(s *luabridge.Stack, line int) {
		if line == 3 {
			s.Abort("ERR aborted")
		}
	}}
	for range 3 {
		vm.Debug(d)
		require.Equal(t, "ERR aborted", vm.Run(commands{}, s, nil, nil).Text())
		vm.Debug(nil)
		require.Equal(t, int64(6), vm.Run(commands{}, s, nil, nil).MustInt())
	}
}

// A function begins once, also one whose first instruction is a loop that jumps to itself.
func TestAFunctionBeginsOnce(t *testing.T) {
	for _, src := range []string{"while true do end", "local function f()\nwhile true do end\nend\nf()", "repeat local x = 1 until false"} {
		begun := map[int]int{}
		d := &scriptedDebugger{line: func(s *luabridge.Stack, line int) {
			if s.Begins() {
				begun[line]++
			}
		}}
		vm := luabridge.New(luabridge.Options{MaxSteps: 1000})
		t.Cleanup(vm.Close)
		s, err := vm.Compile(src)
		require.NoError(t, err)
		vm.Debug(d)
		require.Contains(t, vm.Run(commands{}, s, nil, nil).Text(), "it takes more than 1000")
		for line, times := range begun {
			require.Equal(t, 1, times, "line %d of %q", line, src)
		}
		require.NotEmpty(t, begun)
	}
}
