package luabridge

import (
	"context"
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// redisDebug is redis.debug. Without a debugger Redis drops its arguments; here they go to the logger at level
// debug, so that a script can be watched while it is written. The script sees no difference.
func (vm *VM) redisDebug(L *lua.LState) int {
	if vm.debugger != nil {
		return vm.debugPrint(L)
	}
	ctx := context.Background()
	if !vm.opt.Logger.Enabled(ctx, slog.LevelDebug) {
		return 0
	}
	var b strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(vm.inspect(L.Get(i)))
	}
	vm.opt.Logger.Log(ctx, slog.LevelDebug, b.String(), "from", "redis.debug", "script", vm.script.SHA)
	return 0
}

// inspect writes a value for people: a table as plain JSON where it has such a form, anything else as tostring does.
func (vm *VM) inspect(v lua.LValue) string {
	if tb, ok := v.(*lua.LTable); ok {
		if text, err := json.Encode(vm.stockCopy(tb, map[*lua.LTable]*lua.LTable{})); err == nil {
			return string(text)
		}
	}
	if s, ok := str(v); ok {
		return s
	}
	return v.String()
}

// stockCopy copies a table, and those in it, into such as gopher-lua itself makes: gopher-json walks by its functions.
func (vm *VM) stockCopy(tb *lua.LTable, copies map[*lua.LTable]*lua.LTable) *lua.LTable {
	if c := copies[tb]; c != nil {
		return c
	}
	c := vm.L.NewTable()
	copies[tb] = c
	for _, e := range vm.entries(tb) {
		v := e.Value
		if t, ok := v.(*lua.LTable); ok {
			v = vm.stockCopy(t, copies)
		}
		if n, ok := e.Key.(lua.LNumber); ok && n > tables.MaxStock {
			c.RawSetH(n, v)
			continue
		}
		c.RawSet(e.Key, v)
	}
	return c
}
