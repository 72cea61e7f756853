package luabridge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// evalAt evaluates codes, one after the other, when the script reaches a line for the first time, and returns what they give and the script's
// reply.
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
		for _, told := range d.told {
			require.Equal(t, "breakpoint", told, code)
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
	require.Equal(t, []string{"10 11 1 1", `"x" nil "z"`, "3", "error: eval:1: Script attempted to access nonexistent global variable 'unused'",
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
	require.Equal(t, []string{"1 0", "", "1", "", "12", "error: eval:1: Script attempted to access nonexistent global variable 'y'", "false"}, out)
	require.Equal(t, "7,12,13,2", v)
}
