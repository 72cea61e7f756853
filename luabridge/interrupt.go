package luabridge

import (
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"
)

// Interrupt stops the running script: it ends with the error line reason, which no pcall catches. When no
// script runs, it stops the next one, unless [VM.ClearInterrupt] comes before. It may be called from any goroutine.
//
// The VM looks for an interrupt at each call and at each turn of a loop.
func (vm *VM) Interrupt(reason string) { vm.kill.reason.Store(&reason) }

// ClearInterrupt takes back an Interrupt that has stopped nothing.
func (vm *VM) ClearInterrupt() { vm.kill.reason.Store(nil) }

// killSwitch is what the machine looks at.
type killSwitch struct {
	reason atomic.Pointer[string]
}

func (k *killSwitch) killed() bool { return k.reason.Load() != nil }

// checkKilled ends the script at a place where Lua runs Go code for long.
func (vm *VM) checkKilled(L *lua.LState) {
	if vm.kill.killed() {
		vm.raise(L, lua.LString("script killed"))
	}
}
