package luabridge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// atLine calls f when a script reaches a line for the first time, and returns its reply.
func atLine(t *testing.T, src string, line int, f func(s *luabridge.Stack)) string {
	done := false
	v := debug(t, &scriptedDebugger{line: func(s *luabridge.Stack, at int) {
		if at == line && !done {
			done = true
			f(s)
		}
	}}, src, "key")
	require.True(t, done)
	return v.Text()
}

func TestValuesOfAScript(t *testing.T) {
	atLine(t, `local t = setmetatable({10, 20, x = {}}, {__index = function() error('asked') end, __len = 1})
local vars = {nil, true, 1.5, 'text', t, nil, coroutine.create(function() end), cjson.null}
return t`, 3, func(s *luabridge.Stack) {
		locals := s.Frames()[0].Locals()
		tb, vars := locals[0].Value, locals[1].Value
		for i, kind := range []string{"nil", "boolean", "number", "string", "table", "nil", "thread", "userdata"} {
			v := vars.Field(s.Number(float64(i + 1)))
			require.Equal(t, kind, v.Kind().String())
			require.Equal(t, kind == "table" || kind == "thread" || kind == "userdata", v.ID() != 0)
			require.Equal(t, map[string]int{"string": 4, "table": 2}[kind], v.Len())
		}
		require.Equal(t, "1.5", vars.Field(s.Number(3)).Text())
		require.True(t, vars.Field(s.Number(2)).Bool())
		require.Equal(t, `{1=10 2=20 "x"={}}`, show(tb))
		require.Equal(t, luabridge.NilKind, tb.Field(s.Text("nosuch")).Kind(), "no metamethod is asked")
		require.Equal(t, luabridge.FunctionKind, tb.Metatable().Field(s.Text("__index")).Kind())
		tb.SetField(s.Text("x"), s.Bool(false))
		tb.SetField(s.Number(3), s.Text("new"))
		tb.SetField(luabridge.Value{}, s.Text("nowhere"))
		require.Equal(t, `{1=10 2=20 3="new" "x"=false}`, show(tb))
	})
}

func TestValuesAsJSON(t *testing.T) {
	texts := map[string]string{
		`nil`:                                `null`,
		`1.5`:                                `1.5`,
		`"a\"<é>&\\u003c"`:                   `"a\"<é>&\\u003c"`,
		`{}`:                                 `[]`,
		`{1, "x", {true}}`:                   `[1,"x",[true]]`,
		`{[3] = "c", [2] = "b", [1] = "a"}`:  `["a","b","c"]`,
		`{name = "ann", deep = {n = {1}}}`:   `{"deep":{"n":[1]},"name":"ann"}`,
		`(function(t) return {t, t} end){1}`: `[[1],[1]]`,
		`KEYS`:                               `["key"]`,
		`(function() local t = {} for i = 1, 30000 do t[i] = 1 end return {#t, #cjson.encode(t)} end)()`: `[30000,60001]`,
	}
	problems := map[string]string{
		`(function() local t = {} t.t = {t} return t end)()`: "cannot encode a table inside itself to JSON",
		`print`:                  "cannot encode function to JSON",
		`{a = {redis.call}}`:     "cannot encode function to JSON",
		`{x = cjson.null}`:       "cannot encode userdata to JSON",
		`{1, 2, name = "ann"}`:   "cannot encode mixed or invalid key types",
		`{[true] = 1}`:           "cannot encode mixed or invalid key types",
		`{1, 2, [50000000] = 3}`: "cannot encode sparse array",
		`0 / 0`:                  "json: unsupported value: NaN",
		`"\255"`:                 "cannot encode a string that is not UTF-8 to JSON",
		`{["\255"] = 1}`:         "cannot encode a string that is not UTF-8 to JSON",
		`("x"):rep(2^20 + 1)`:    "cannot encode to JSON: the value is too large",
		`(function() local t = {} for i = 1, 40000 do t[i] = 1 end return t end)()`: "cannot encode to JSON: the value is too large",
		`(function() local t = {} for i = 1, 20 do t = {t, t} end return t end)()`:  "cannot encode to JSON: the value is too large",
		`(function() local t = {} for i = 1, 32 do t = {t} end return t end)()`:     "cannot encode tables nested more than 32 deep to JSON",
		`coroutine.create(function() end)`:                                          "cannot encode thread to JSON",
	}
	atLine(t, "return 1", 1, func(s *luabridge.Stack) {
		for code, want := range texts {
			values, err := s.Eval(0, "=e", code)
			require.NoError(t, err, code)
			got, err := values[0].JSON()
			require.NoError(t, err, code)
			require.Equal(t, want, got, code)
		}
		for code, want := range problems {
			values, err := s.Eval(0, "=e", code)
			require.NoError(t, err, code)
			_, err = values[0].JSON()
			require.EqualError(t, err, want, code)
		}
	})
}

func TestGlobalsAreThoseThatAScriptSees(t *testing.T) {
	atLine(t, "return 1", 1, func(s *luabridge.Stack) {
		names := map[string]luabridge.Value{}
		for _, f := range s.Globals().Fields() {
			names[f.Key.Text()] = f.Value
		}
		require.Contains(t, names, "redis")
		require.NotContains(t, names, "print")
		require.Equal(t, `{1="key"}`, show(names["KEYS"]))
		require.Equal(t, `{1="arg"}`, show(names["ARGV"]))
		require.Equal(t, luabridge.FunctionKind, names["redis"].Field(s.Text("call")).Kind())
		require.True(t, names["redis"].ReadOnly())
		require.Equal(t, luabridge.NilKind, names["redis"].Metatable().Kind())
		names["redis"].SetField(s.Text("call"), s.Text("no function"))
		require.Equal(t, luabridge.FunctionKind, names["redis"].Field(s.Text("call")).Kind())
	})
}

func TestALoopsOwnValuesStayNumbers(t *testing.T) {
	v := atLine(t, `local n = 0
for i = 1, 3 do
  n = n + i
end
return tostring(n)`, 3, func(s *luabridge.Stack) {
		for _, v := range s.Frames()[0].Locals() {
			if v.Name == "n" {
				continue
			}
			v.Set(s.Text("no number"))
			require.Equal(t, v.Name == "i", v.Value.Kind() == luabridge.StringKind)
			if v.Name == "i" || v.Name == "(for limit)" {
				v.Set(s.Number(5))
			}
		}
	})
	require.Equal(t, "19", v) // 5 + 2 + 3 + 4 + 5
}

func TestFramesOfLoadedTexts(t *testing.T) {
	d := &scriptedDebugger{raise: func(s *luabridge.Stack, _ luabridge.Value, _ bool) {
		frames := s.Frames()
		require.Equal(t, luabridge.LibraryFunction, frames[0].Kind)
		require.Equal(t, "inner", frames[1].Name)
		require.Equal(t, "local", frames[1].How)
		require.Equal(t, "mine", frames[1].Chunk)
		require.Equal(t, 2, frames[1].Line)
		require.Equal(t, 1, frames[1].Defined)
		require.Equal(t, "x=5", showAll(frames[1].Locals()))
		require.Equal(t, "mine", frames[2].Chunk)
		require.Empty(t, frames[3].Chunk)
		require.Equal(t, luabridge.MainChunk, frames[3].Kind)
		require.Equal(t, 1, s.Depth())
	}}
	debug(t, d, `local f = loadstring("local function inner(x)\nerror('y') end inner(5) return 1", "=mine")
f()`)
	require.Equal(t, []string{`raise "mine:2: y" false`}, d.reported)
}
