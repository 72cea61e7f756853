package luabridge_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// evalAt evaluates codes, one after the other, when the script reaches a line for the first time,
// and returns what they give and the script's reply.
func evalAt(t *testing.T, src string, line, level int, codes ...string) (out []string, v string) {
	done := false
	d := &scriptedDebugger{line: func(s *luabridge.Stack, at int) {
		if at != line || done {
			return
		}
		done = true
		for _, code := range codes {
			values, err := s.Eval(level, "=eval", code)
			if err != nil {
				out = append(out, "error: "+err.Error())
				continue
			}
			var texts []string
			for _, v := range values {
				texts = append(texts, show(v))
			}
			out = append(out, strings.Join(texts, " "))
		}
	}}
	reply := debug(t, d, src, "key")
	require.True(t, done)
	return out, reply.Text()
}

func TestEvalSeesGlobals(t *testing.T) {
	codes := map[string]string{
		"1 + 1":                     "2",
		"1, 'a', nil, true":         `1 "a" nil true`,
		"":                          "",
		"local x = 5 return x + 1":  "6",
		"KEYS[1], #ARGV":            `"key" 1`,
		"KEYS":                      `{1="key"}`,
		"local_":                    "error: ldb_eval:1: Script attempted to access nonexistent global variable 'local_'",
		"x = 1":                     "error: ldb_eval:1: Attempt to modify a readonly table",
		"error('x')":                "error: ldb_eval:1: x",
		"error('x', 0)":             "error: x",
		"error('x', 2)":             "error: user_script:2: x",
		"a b":                       "error: ldb_eval:1: '=' expected near 'b'",
		"1 +":                       "error: ldb_eval:1: unexpected symbol near '1'",
		"print(1)":                  "error: ldb_eval:1: Script attempted to access nonexistent global variable 'print'",
		"redis.call('GET', 'k')":    `"GET+k"`,
		"redis.call('FAIL')":        "error: ERR failed",
		"error({err = 'my error'})": "error: my error",
		"redis.pcall('FAIL').err":   `"ERR failed"`,
		"pcall(error, 'x')":         `false "x"`,
		"redis.breakpoint()":        "true",
		"coroutine.yield()":         "error: attempt to yield across metamethod/C-call boundary",
		"local function f() return f() + 1 end return f()": "error: ldb_eval:1: stack overflow",
	}
	for code, want := range codes {
		d := &scriptedDebugger{line: func(s *luabridge.Stack, line int) {
			if line != 2 {
				return
			}
			values, err := s.Eval(-1, "@ldb_eval", code)
			var got []string
			for _, v := range values {
				got = append(got, show(v))
			}
			if err != nil {
				got = []string{"error: " + err.Error()}
			}
			require.Equal(t, want, strings.Join(got, " "), code)
		}}
		require.Equal(t, "3", debug(t, d, "local a = 1\na = a + 2\nreturn tostring(a)", "key").Text())
		for _, reported := range d.reported {
			require.Equal(t, "breakpoint", reported, code)
		}
	}
}

func TestEvalSeesTheFrame(t *testing.T) {
	out, v := evalAt(t, `local up, unused = 1, 2
local function f(a, ...)
  local b = a + up
  for i = 1, 3 do
    local b = b * i
    b = b + 0
  end
  return a .. ',' .. b .. ',' .. up .. ',' .. select('#', ...)
end
return f(10, 'x', nil, 'z') .. ',' .. unused`, 6, 0,
		"a, b, i, up", "...", "select('#', ...)", "unused", "a = 20", "up = up + 1", "local a = 5 a = a + 1 return a", "a",
		"b", "b = 'inner'", "b", "nosuch")
	require.Equal(t, []string{"10 11 1 1", `"x" nil "z"`, "3",
		"error: eval:1: Script attempted to access nonexistent global variable 'unused'",
		"", "", "6", "20", "11", "", `"inner"`, "error: eval:1: Script attempted to access nonexistent global variable 'nosuch'"}, out)
	require.Contains(t, v, "attempt to perform arithmetic on local 'b'")

	out, v = evalAt(t, `local x, n = 1, 0
local function count() n = n + 1 return n end
local function f()
  local y = 2
  return y
end
local z = f()
return x .. ',' .. n .. ',' .. count() .. ',' .. z`, 5, 1,
		"x, n", "x = 7", "count()", "n = n + 10", "count()", "y", "f == nil")
	require.Equal(t, []string{"1 0", "", "1", "", "12", "error: eval:1: Script attempted to access nonexistent global variable 'y'", "false"},
		out)
	require.Equal(t, "7,12,13,2", v)
}

func TestEvalLeavesClosuresTheirVariables(t *testing.T) {
	out, v := evalAt(t, `local shared, own = 1, 1
local function get() return shared end
local made = {}
made.x = 0
return get() .. ',' .. made.set(5) .. ',' .. get() .. ',' .. shared .. ',' .. made.own() .. ',' .. own`, 5, 0,
		"made.set = function(v) shared = v return v end", "made.own = function() own = own + 1 return own end", "own = 10", "made.own()",
		"made.own()")
	require.Equal(t, []string{"", "", "", "2", "3"}, out, "copies")
	require.Equal(t, "1,5,5,5,4,10", v)
}

func TestEvalInFramesBelow(t *testing.T) {
	src := `local top = 'top'
local function co(a)
  local b = a
  pcall(function()
    local c = 'c'
    table.sort({2, 1}, function(x)
      local d = c
      return x == d
    end)
  end)
  return b
end
local r = coroutine.wrap(co)('a')
return top .. r`
	done := false
	var shown []string
	d := &scriptedDebugger{line: func(s *luabridge.Stack, line int) {
		if line != 8 || done {
			return
		}
		done = true
		require.Equal(t, 4, s.Depth())
		for i, f := range s.Frames() {
			shown = append(shown, fmt.Sprintf("%s/%d/%d/%d: %s | %s", f.Name, f.Kind, f.Line, f.Thread, showAll(f.Locals()), showAll(f.Upvalues())))
			for _, v := range f.Locals() {
				values, err := s.Eval(i, "=e", v.Name)
				require.NoError(t, err)
				require.Equal(t, show(v.Value), show(values[0]))
			}
		}
		for level, code := range map[int]string{0: "c = 'C'", 4: "b = b .. 'B'", 6: "top = 'TOP'"} {
			_, err := s.Eval(level, "=e", code)
			require.NoError(t, err)
		}
	}}
	require.Equal(t, "TOPaB", debug(t, d, src).Text())
	require.Equal(t, []string{
		`/1/8/1: x=1 d="c" | c="c"`,
		`sort/2/0/1:  | `,
		`/1/6/1: c="c" | `,
		`pcall/2/0/1:  | `,
		`/1/4/1: a="a" b="a" | `,
		`/2/0/0:  | `,
		`main chunk/0/13/0: top="top" co=function | `,
	}, shown)
}

func TestVariablesCanBeSet(t *testing.T) {
	d := &scriptedDebugger{}
	d.line = func(s *luabridge.Stack, line int) {
		if line != 3 {
			return
		}
		f := s.Frames()[0]
		for _, vars := range [][]luabridge.Variable{f.Locals(), f.Upvalues(), f.Varargs()} {
			for _, v := range vars {
				v.Set(s.Text(v.Name + "!"))
				require.Equal(t, v.Name+"!", v.Value.Text())
			}
		}
		f = s.Frames()[1]
		locals := f.Locals()
		locals[1].Set(s.Number(4))
	}
	v := debug(t, d, `local up, other = 1
local function f(a, ...)
  return up .. a .. table.concat({...}, ',')
end
local r = f(1, 2, nil)
return r .. up .. other`)
	require.Equal(t, "up!a!...1!,...2!up!4", v.Text())
}

func TestEvalIsBounded(t *testing.T) {
	var attention atomic.Bool
	attend := func() { attention.Store(true) }
	attend()
	for _, opt := range []luabridge.Options{{MaxSteps: 20000}, {MaxMemory: 4 << 20, Attention: &attention, Attend: attend}} {
		vm := luabridge.New(opt)
		t.Cleanup(vm.Close)
		s, err := vm.Compile("local a = 1\nlocal b = 2\nfor i = 1, 100 do a = a + i end\nreturn a")
		require.NoError(t, err)
		var problem error
		vm.Debug(&scriptedDebugger{line: func(s *luabridge.Stack, line int) {
			if line == 2 {
				_, problem = s.Eval(0, "=e", "local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end")
			}
		}})
		require.Equal(t, int64(5051), vm.Run(commands{}, s, nil, nil).MustInt())
		require.ErrorContains(t, problem, "Script stopped")
	}
}

func TestEvalCanBeCancelled(t *testing.T) {
	vm := luabridge.New(luabridge.Options{})
	t.Cleanup(vm.Close)
	s, err := vm.Compile("local a = 1\nlocal b = 2\nfor i = 1, 100 do a = a + i end\nreturn a")
	require.NoError(t, err)
	var problems []string
	vm.Debug(&scriptedDebugger{
		line: func(s *luabridge.Stack, line int) {
			if line == 2 {
				for range 2 {
					_, err := s.Eval(0, "=e", "print() while true do pcall(function() while true do end end) end")
					problems = append(problems, err.Error())
				}
				s.CancelEval("too late")
			}
		},
		print: func(s *luabridge.Stack, _ []luabridge.Value) { go s.CancelEval("enough") },
	})
	require.Equal(t, int64(5051), vm.Run(commands{}, s, nil, nil).MustInt())
	require.Equal(t, []string{"enough", "enough"}, problems)
}

func TestAnInterruptEndsTheEvaluationAndTheScript(t *testing.T) {
	vm := luabridge.New(luabridge.Options{})
	t.Cleanup(vm.Close)
	s, err := vm.Compile("local a = 1\nlocal b = 2\nfor i = 1, 100 do a = a + i end\nreturn a")
	require.NoError(t, err)
	var problem error
	vm.Debug(&scriptedDebugger{
		line: func(s *luabridge.Stack, line int) {
			if line == 2 {
				_, problem = s.Eval(0, "=e", "print() while true do end")
			}
		},
		print: func(*luabridge.Stack, []luabridge.Value) { go vm.Interrupt("ERR interrupted") },
	})
	require.Equal(t, "ERR interrupted", vm.Run(commands{}, s, nil, nil).Text())
	require.EqualError(t, problem, "ERR interrupted")
}

func TestWhatAnEvaluationBreaksDoesNotEndTheScript(t *testing.T) {
	for _, code := range []string{
		"local function f() return f() + 1 end return f()",
		"local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x",
		"error()",
		"error(nil)",
		"coroutine.wrap(function() error({}) end)()",
		"select(-1)",
		"local function f(n) if n > 0 then return pcall(f, n - 1) end error('deep') end f(500) error('end')",
	} {
		out,
			v := evalAt(t,
			"local a = 1\nlocal b = 2\na = a + b\nfor i = 1, 3 do a = a + (select(2, pcall(function() return i end))) end\nreturn tostring(a)", 3, 0,
			code, "a + b", "pcall(error, 'x')")
		require.Contains(t, out[0], "error: ", code)
		require.Equal(t, []string{"3", `false "x"`}, out[1:])
		require.Equal(t, "9", v, code)
	}
}

func TestEvaluationsWithinEachOther(t *testing.T) {
	var inner []string
	d := &scriptedDebugger{}
	d.line = func(s *luabridge.Stack, line int) {
		if line != 2 {
			return
		}
		values, err := s.Eval(0, "=outer", "(function() local n = a + 1 print(n) return n end)()")
		require.NoError(t, err)
		require.Equal(t, "2", show(values[0]))
	}
	d.print = func(s *luabridge.Stack, _ []luabridge.Value) {
		for level := range s.Frames() {
			for _, name := range []string{"n", "a"} {
				values, err := s.Eval(level, "=inner", name)
				if err == nil {
					inner = append(inner, fmt.Sprintf("%d: %s=%s", level, name, show(values[0])))
				}
			}
		}
	}
	require.Equal(t, "3", debug(t, d, "local a = 1\na = a + 2\nreturn tostring(a)").Text())
	// the function, which has taken the place of the evaluation, and the script
	require.Equal(t, []string{"1: n=2", "1: a=1", "2: a=1"}, inner)

	d = &scriptedDebugger{print: func(s *luabridge.Stack, _ []luabridge.Value) { s.Abort("ERR enough") }}
	d.line = func(s *luabridge.Stack, line int) {
		if line == 2 {
			_, err := s.Eval(0, "=outer", "pcall(print)")
			require.EqualError(t, err, "ERR enough")
		}
	}
	require.Equal(t, "ERR enough", debug(t, d, "local a = 1\na = a + 2\nreturn a").Text())
}
