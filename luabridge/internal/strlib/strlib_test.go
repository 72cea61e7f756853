package strlib

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

func newState(t testing.TB, lib *Library) *lua.LState {
	L := lua.NewState()
	t.Cleanup(L.Close)
	L.SetGlobal("string", lib.Open(L))
	mt := L.NewTable()
	mt.RawSetString("__index", L.GetGlobal("string"))
	L.SetMetatable(lua.LString(""), mt)
	return L
}

func TestResults(t *testing.T) {
	L := newState(t, &Library{})
	for code, want := range map[string]string{
		`string.format('%5.1f|%-5d|%05d|%x|%q|%s', 2.25, 42, -7, 255, 'a"', 'b')`: `  2.2|42   |-0007|ff|"a\""|b`,
		`('key=val'):match('(%w+)=(%w+)')`:                                        "key",
		`('abc'):gsub('%w', '%0%0')`:                                              "aabbcc",
		`('abc'):gsub('b', {b = 1.5})`:                                            "a1.5c",
		`('THE (quick) fox'):find('%f[%a]%a+%f[%A]', 2)`:                          "6",
		`('x'):rep(3)`:                            "xxx",
		`string.char(('abc'):byte(1, -1))`:        "abc",
		`select(2, pcall(string.find, 'a', '['))`: "malformed pattern (missing ']')",
	} {
		require.NoError(t, L.DoString("return ("+code+")"), code)
		assert.Equal(t, want, L.Get(-1).String(), code)
		L.Pop(1)
	}
}

func TestLongCallsCanBeStopped(t *testing.T) {
	for name, code := range map[string]string{
		"greedy":     `('a'):rep(40):find(('a*'):rep(20) .. 'b')`,
		"lazy":       `('a'):rep(1e5):find('.-.-b')`,
		"balanced":   `('('):rep(1e5):find('%b()')`,
		"back":       `('a'):rep(1e5):find('^(a-)%1b')`,
		"sets":       `('a'):rep(1e5):find('[%a]*b')`,
		"each match": `('a'):rep(1e6):gsub('a', {})`,
		"each plain": `local n = 0 for _ in ('a'):rep(1e6):gmatch('a') do n = n + 1 end`,
	} {
		t.Run(name, func(t *testing.T) {
			looks := 0
			var lib Library
			lib.Budget = &budget.Budget{Attend: func(L *lua.LState, _ int64) {
				if looks++; looks == 3 {
					L.RaiseError("stopped")
				}
			}}
			L := newState(t, &lib)
			require.ErrorContains(t, L.DoString(code), "stopped")
			require.NoError(t, L.DoString(`assert(('ab'):gsub('(a)(b)', '%2%1') == 'ba')`), "the library works on")
		})
	}
}

func TestStringsAreBounded(t *testing.T) {
	var lib Library
	L := newState(t, &lib)
	require.ErrorContains(t, L.DoString(`return ('ab'):rep(2^30)`), "resulting string too large")
	lib.Budget = &budget.Budget{Longest: 1000}
	for _, code := range []string{
		`('x'):rep(1001)`,
		`('x'):rep(500):gsub('.', 'yyy')`,
		`('x'):rep(500):gsub('.', function() return 'yyy' end)`,
		`('x'):rep(500):gsub('^.*', ('%0'):rep(3))`,
		`string.format('%s%s%s', ('x'):rep(400), ('x'):rep(400), ('x'):rep(400))`,
		`string.format('%q', ('\0'):rep(500))`,
		`string.format(('x'):rep(1001))`,
		`string.format(('x'):rep(1000) .. '%d', 1)`,
	} {
		assert.ErrorContains(t, L.DoString(code), "resulting string too large", code)
	}
	require.NoError(t, L.DoString(`assert(#('x'):rep(500):gsub('.', 'yy') == 1000)`))
}

func TestDeepPatternsAreRefused(t *testing.T) {
	L := newState(t, &Library{})
	require.NoError(t, L.DoString(`local n = 100000 assert(#('a'):rep(n):match(('a?'):rep(n)) == n)`))
	require.ErrorContains(t, L.DoString(`local n = 200000 return ('a'):rep(n):match(('a?'):rep(n))`), "pattern too complex")
}

func TestFunctionsCanBeUsedWithinGsub(t *testing.T) {
	L := newState(t, &Library{})
	require.NoError(t, L.DoString(`
		local s = ('a-b-c'):gsub('(%a)(-?)', function(x, y)
			return ('x'):gsub('x', x:upper()) .. (y:match('^-$') or '')
		end)
		assert(s == 'A-B-C', s)`))
}
