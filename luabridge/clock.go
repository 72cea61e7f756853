package luabridge

import (
	"time"

	lua "github.com/yuin/gopher-lua"
)

// started is when the program started, about.
var started = time.Now()

// clock is os.clock(), which measures: seconds of real time, where servers count those in which the
// processor worked for them.
func (vm *VM) clock(L *lua.LState) int {
	L.Push(lua.LNumber(time.Since(started).Round(time.Microsecond).Seconds()))
	return 1
}
