package redisapi

import (
	"context"
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/inspect"
)

// Print is redis.debug, and print in evaluated code. Without a debugger Redis drops the arguments.
// Here they are logged at level debug, so that an author can watch the script. The script sees no
// difference.
func (r *Library) Print(L *lua.LState) int {
	if r.Console != nil {
		r.Console.Print(L)
		r.Poll(L)
		return 0
	}
	ctx := context.Background()
	if !r.Logger.Enabled(ctx, slog.LevelDebug) {
		return 0
	}
	var b strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(inspect.Text(L.Get(i), r.Convert.Shown))
	}
	r.Logger.Log(ctx, slog.LevelDebug, b.String(), "from", "redis.debug", "script", r.SHA())
	return 0
}

// breakpoint is redis.breakpoint(). It returns false without a debugger.
func (r *Library) breakpoint(L *lua.LState) int {
	stop := r.Console != nil && r.Console.Breakpoint(L)
	r.Poll(L)
	L.Push(lua.LBool(stop))
	return 1
}
