package strlib

import (
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// The same calls through this library and through gopher-lua's own.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"format", `local f = string.format for i = 1, 100 do local s = f('%s:%d:%5.2f', 'user', i, i / 3) end`},
		{"find plain", `local s, f = ('x'):rep(200) .. 'needle', string.find for i = 1, 100 do local a = f(s, 'needle', 1, true) end`},
		{"find pattern", `local s, f = ('x'):rep(50) .. '12', string.find for i = 1, 100 do local a = f(s, '%d+') end`},
		{"match captures", `local f = string.match for i = 1, 100 do local a, b = f('key_1 = value_2', '^([%w_]+)%s*=%s*([%w_]+)$') end`},
		{"gsub string", `local s, f = ('a,b;'):rep(20), string.gsub for i = 1, 10 do local r = f(s, '[,;]', '/') end`},
		{"gsub function", `local s, f, g = ('ab '):rep(20), string.gsub, function(w) return w end for i = 1, 10 do local r = f(s, '%a+', g) end`},
		{"gmatch", `local s, f = ('ab '):rep(30), string.gmatch for i = 1, 10 do for w in f(s, '%a+') do end end`},
		{"rep", `local f = string.rep for i = 1, 100 do local r = f('ab', 50) end`},
		{"sub", `local s, f = 'hello world', string.sub for i = 1, 100 do local r = f(s, 3, 7) end`},
		{"sub one", `local s, f = 'hello world', string.sub for i = 1, 100 do local r = f(s, 3, 3) end`},
		{"byte", `local s, f = 'hello world', string.byte for i = 1, 100 do local r = f(s, 3) end`},
		{"upper", `local s, f = 'hello world', string.upper for i = 1, 100 do local r = f(s) end`},
	} {
		b.Run(c.name+"/own", func(b *testing.B) { run(b, newState(b, &Library{}), c.code) })
		b.Run(c.name+"/stock", func(b *testing.B) {
			L := lua.NewState()
			b.Cleanup(L.Close)
			run(b, L, c.code)
		})
	}
}

func run(b *testing.B, L *lua.LState, code string) {
	fn, err := L.LoadString(code)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		L.Push(fn)
		L.Call(0, 0)
	}
}
