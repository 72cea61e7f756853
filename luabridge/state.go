package luabridge

import (
	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
)

// State is what scripts leave in a [VM] for later scripts: the position in the sequence of
// math.random, and the settings of cjson. The zero State is that of a new VM.
type State struct {
	random mathlib.Random
	cjson  cjson.Settings
	set    bool
}

// State returns the current state.
func (vm *VM) State() State { return State{vm.random, vm.cjson.Settings(), true} }

// SetState replaces the state.
func (vm *VM) SetState(s State) {
	vm.random = s.random
	if s.set {
		vm.cjson.SetSettings(s.cjson)
	}
}

// Same reports whether scripts behave the same in both states.
func (s State) Same(o State) bool { return s.random == o.random && s.settings() == o.settings() }

func (s State) settings() cjson.Settings {
	if !s.set {
		return null.Settings()
	}
	return s.cjson
}
