package inspect

import (
	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Decode returns the value of a JSON text. Arrays and objects are tables, null is nil, and an array
// leaves nulls out.
func Decode(L *lua.LState, text string) (lua.LValue, error) {
	v, err := json.Decode(L, []byte(text))
	if err != nil {
		return nil, err
	}
	return own(v), nil
}

// own copies tables of gopher-lua's layout into those of package tables. It may recurse: a JSON
// text nests at most 10,000 levels.
func own(v lua.LValue) lua.LValue {
	tb, ok := v.(*lua.LTable)
	if !ok {
		return v
	}
	n := tb.Len()
	copied := tables.New(n, 0)
	for i := 1; i <= n; i++ {
		tables.SetInt(copied, i, own(tb.RawGetInt(i)))
	}
	tb.ForEach(func(key, value lua.LValue) {
		if _, text := key.(lua.LString); text {
			tables.Set(copied, key, own(value))
		}
	})
	return copied
}
