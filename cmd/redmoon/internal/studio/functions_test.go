package studio

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const shop = `#!lua name=shop
local calls = 0
redis.register_function('claim', function(keys, args)
  calls = calls + 1
  return redis.call('DECRBY', keys[1], args[1])
end)
redis.register_function{function_name = 'look', description = 'what is left', flags = {'no-writes'},
  callback = function(keys) return redis.call('GET', keys[1]) end}
`

func TestTheFunctionsOfALibrary(t *testing.T) {
	p := open(t)
	var answer struct{ Functions []function }
	p.ask(map[string]any{"op": "check", "source": shop}, &answer)
	require.Equal(t, []function{{Name: "claim"}, {"look", "what is left", []string{"no-writes"}}}, answer.Functions)
	for _, source := range []string{"return 1", "#!lua name=l\nlocal x = ", "#!lua name=l\nwhile true do end"} {
		answer.Functions = nil
		p.ask(map[string]any{"op": "check", "source": source}, &answer)
		require.Empty(t, answer.Functions, source)
	}
	require.Equal(t, "function: choose one of claim, look", p.problem(map[string]any{"op": "run", "source": shop}))
	require.Equal(t, "function: choose one of claim, look", p.problem(map[string]any{"op": "run", "source": shop, "call": "other"}))
	require.Contains(t, p.problem(map[string]any{"op": "run", "source": "#!lua name=l\nlocal x"}), "ERR No functions registered")
}

func TestRunAndDebugAFunction(t *testing.T) {
	p := open(t)
	request := func(op string) map[string]any {
		return map[string]any{"op": op, "source": shop, "call": "claim", "keys": "k", "args": "2", "fixture": "SET k 5", "breakpoints": []int{2}}
	}
	st := p.state(request("run"))
	require.Equal(t, "ended", st.State)
	require.Equal(t, "(integer) 3", st.Reply)
	require.Equal(t, []Change{{0, "k", "string, 1 byte\n\"5\"", "string, 1 byte\n\"3\""}}, st.Changes)

	st = p.state(request("debug"))
	require.Equal(t, 2, st.Line, "while the library is loaded")
	require.Equal(t, 4, p.step("continue").Line)
	require.Equal(t, 5, p.step("over").Line)
	require.Equal(t, 4, p.step("back").Line)
	require.Equal(t, "(integer) 3", p.step("continue").Reply)
}
