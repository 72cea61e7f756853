package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
	"github.com/redmoon-lua/redmoon/reply"
)

// redisCall is redis.call. An error reply ends the script.
func (vm *VM) redisCall(L *lua.LState) int {
	v, problem := vm.command(L)
	if problem != "" {
		vm.raise(L, vm.complaint(L, problem))
	}
	if v.IsError() {
		vm.raise(L, vm.convert.ToLua(v))
	}
	L.Push(vm.convert.FromReply(L, v))
	return 1
}

// direct is redisCall without a frame of its own; see machine.Command.
func (vm *VM) direct(L *lua.LState, values []lua.LValue, want bool) (result lua.LValue, ok bool) {
	if vm.watcher() != nil {
		return nil, false
	}
	args := vm.args[:0]
	for _, v := range values {
		switch v := v.(type) {
		case lua.LString:
			args = append(args, string(v))
		case lua.LNumber:
			args = append(args, numberArgument(float64(v)))
		default:
			return nil, false
		}
	}
	vm.args = args
	v := vm.host.Call(args)
	clear(args)
	if v.IsError() {
		return vm.convert.ToLua(v), false
	}
	if !want {
		return nil, true
	}
	return vm.convert.FromReply(L, v), true
}

// redisRaise raises its argument, an error reply of a command.
func (vm *VM) redisRaise(L *lua.LState) int {
	vm.raise(L, L.Get(1))
	return 0
}

// redisPCall is redis.pcall. An error reply is a table.
func (vm *VM) redisPCall(L *lua.LState) int {
	v, problem := vm.command(L)
	if problem != "" {
		L.Push(vm.complaint(L, problem))
		return 1
	}
	L.Push(vm.convert.FromReply(L, v))
	return 1
}

// command runs the command on the stack. The arguments are in a slice of the VM while it runs; a
// nested script would need a slice of its own.
func (vm *VM) command(L *lua.LState) (v reply.Value, problem string) {
	vm.poll(L)
	args, problem := vm.arguments(L)
	if problem != "" {
		return v, problem
	}
	if d := vm.watcher(); d != nil {
		return vm.debugCommand(L, d, args), ""
	}
	v = vm.host.Call(args)
	clear(args)
	return v, ""
}

func (vm *VM) arguments(L *lua.LState) ([]string, string) {
	n := L.GetTop()
	if n == 0 {
		return nil, "Please specify at least one argument for this redis lib call"
	}
	args := vm.args[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			args = append(args, string(v))
		case lua.LNumber:
			args = append(args, numberArgument(float64(v)))
		default:
			return nil, "Lua redis lib command arguments must be strings or integers"
		}
	}
	vm.args = args
	return args, ""
}

// numberArgument writes a number as Redis 7.0 passes it to commands: by C's %.17g.
func numberArgument(f float64) string {
	var b [40]byte
	return string(numbers.Append(b[:0], f, 17))
}
