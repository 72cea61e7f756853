package luabridge

import "github.com/redmoon-lua/redmoon/luabridge/cjson"

// State is what scripts leave behind in a [VM] for those that come after them: where math.random stands, and the settings of cjson. The zero State is that of a new VM.
type State struct {
	random randomState
	cjson  cjson.Settings
	set    bool
}

// State is the present state.
func (vm *VM) State() State { return State{vm.random, vm.cjson.Settings(), true} }

// SetState makes scripts that are run from now on find the state that s was.
func (vm *VM) SetState(s State) {
	vm.random = s.random
	if s.set {
		vm.cjson.SetSettings(s.cjson)
	}
}
