package luabridge

import (
	"context"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Interrupt stops the running script: it ends with the error line reason, which no pcall catches. When no
// script runs, it stops the next one, unless [VM.ClearInterrupt] comes before. It may be called from any goroutine.
//
// The VM looks for an interrupt before each instruction of a script that has loops or
// functions, and at each redis.call.
func (vm *VM) Interrupt(reason string) { vm.kill.reason.Store(&reason) }

// ClearInterrupt takes back an Interrupt that has stopped nothing.
func (vm *VM) ClearInterrupt() { vm.kill.reason.Store(nil) }

// killContext is the context that a script with loops runs under. gopher-lua asks it
// before every instruction; a Done of nil makes that question cheap.
type killContext struct {
	reason atomic.Pointer[string]
}

var _ context.Context = (*killContext)(nil)

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (k *killContext) Done() <-chan struct{} {
	if k.reason.Load() != nil {
		return closed
	}
	return nil
}

func (k *killContext) Err() error {
	if k.reason.Load() != nil {
		return context.Canceled
	}
	return nil
}

func (k *killContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (k *killContext) Value(any) any               { return nil }

func (k *killContext) killed() bool { return k.reason.Load() != nil }

// checkKilled ends the script at a place where Lua runs Go code for long.
func (vm *VM) checkKilled(L *lua.LState) {
	if vm.kill.killed() {
		vm.raise(L, lua.LString("script killed"))
	}
}
