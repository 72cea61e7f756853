package luabridge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loaded loads a library with one function, f, that counts.
func loadedLibrary(t *testing.T, vm *VM) *Function {
	lib,
		err := ParseLibrary("#!lua name=lib\nredis.register_function('f', function() local n = 0 for i = 1, 10 do n = n + i end return n end)")
	require.NoError(t, err)
	require.NoError(t, vm.LoadLibrary(lib))
	return lib.Functions[0]
}

func newFunctionVM(t *testing.T) *VM {
	vm := New(Options{Functions: true})
	t.Cleanup(vm.Close)
	return vm
}

// TestALateLoadTimerStopsNoOtherRun: a timer that has fired is not stopped, and what it calls may
// come at any time after that.
func TestALateLoadTimerStopsNoOtherRun(t *testing.T) {
	vm := newFunctionVM(t)
	var late func()
	vm.limits.After = func(_ time.Duration, f func()) func() {
		late = f
		return func() {}
	}
	f := loadedLibrary(t, vm)
	late()
	assert.Equal(t, "55", spell(vm.CallFunction(newHost(), f, nil, nil)), "the next call")

	other, err := ParseLibrary("#!lua name=other\nredis.register_function('g', function() return 1 end)")
	require.NoError(t, err)
	late()
	require.NoError(t, vm.LoadLibrary(other), "the next load")

	vm.Interrupt("ERR stopped")
	late()
	assert.Equal(t, "-ERR stopped", spell(vm.CallFunction(newHost(), f, nil, nil)), "the order that was there before stays")
}

func TestTheLoadTimerStopsItsOwnLoad(t *testing.T) {
	vm := newFunctionVM(t)
	vm.limits.After = func(_ time.Duration, f func()) func() {
		f()
		return func() {}
	}
	lib, err := ParseLibrary("#!lua name=lib\nwhile true do end")
	require.NoError(t, err)
	assert.ErrorContains(t, vm.LoadLibrary(lib), "ERR FUNCTION LOAD timeout")
}

// TestAnOrderForARunEndsWithIt: an order that comes in the last step of a run stops no later one.
func TestAnOrderForARunEndsWithIt(t *testing.T) {
	vm := newVM(t)
	for name, order := range map[string]func(string){"kill": vm.Kill, "end": vm.End} {
		host := newHost()
		host.onCall = func([]string) { order("ERR ended") }
		s := compiled(t, vm, "return redis.call('echo', 'x')")
		vm.Run(host, s, nil, nil)
		assert.Equal(t, `"x"`, spell(vm.Run(newHost(), s, nil, nil)), name)
	}
}
