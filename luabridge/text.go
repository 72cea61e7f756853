package luabridge

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// text is tostring without metamethods.
func (vm *VM) text(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numbers.Text(float64(v))
	case lua.LBool:
		if v {
			return "true"
		}
		return "false"
	case *lua.LNilType:
		return "nil"
	case *lua.LUserData:
		if v.Value == nil {
			return "userdata: (nil)" // a light userdata of 0, as cjson.null
		}
		return fmt.Sprintf("userdata: %p", v)
	}
	return v.String()
}

// number is Lua's conversion of a value to a number: strings are read.
func number(v lua.LValue) (float64, bool) { return args.Number(v) }

// str is Lua's conversion of a value to a string: numbers are written.
func str(v lua.LValue) (string, bool) { return args.Text(v) }

// keep remembers a scratch buffer, unless it has grown so large that it would be a leak.
func (vm *VM) keep(buf []byte) {
	if cap(buf) <= 1<<16 {
		vm.buf = buf
	}
}
