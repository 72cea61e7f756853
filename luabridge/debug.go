package luabridge

import (
	"context"
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"
)

// redisDebug is redis.debug. Without a debugger Redis drops its arguments; here they go to the logger at level
// debug, so that a script can be watched while it is written. The script sees no difference.
func (vm *VM) redisDebug(L *lua.LState) int {
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
		if text, err := json.Encode(vm.unproxy(tb)); err == nil {
			return string(text)
		}
	}
	if s, ok := str(v); ok {
		return s
	}
	return v.String()
}
