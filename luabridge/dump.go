package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// dump returns the bytes for string.dump. It compiles the function's text again, because code that
// runs is adapted to the machine.
func (c *chunks) dump(L *lua.LState, fn *lua.LFunction) (string, bool) {
	vm := c.vm
	if fn.IsG {
		return "", false
	}
	o := vm.originOf(fn.Proto)
	if o == nil {
		return "", false
	}
	from := o.text
	if from == nil {
		from = &text{luatext.Body(vm.script.Source), "@" + fn.Proto.SourceName}
	}
	limits := CompileLimits{MaxMemory: vm.opt.MaxMemory, Stop: func() error { vm.limits.Poll(L); return nil }}
	size := int64(0)
	chunk, err := luac.Compile(from.source, displayName(from.name, runtimeName), limits.options(&size))
	if err != nil {
		return "", false
	}
	p := luac.Function(chunk.Proto, o.number)
	if p == nil {
		return "", false
	}
	return string(luac.Dump(p, args.CString(from.name))), true
}
