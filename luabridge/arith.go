package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

// arithmetic gives strings metamethods, which gopher-lua asks before it converts a string itself: it takes "010" for
// octal and does not know "0x1p4". No script sees them.
func (vm *VM) arithmetic(mt *lua.LTable) {
	for event, op := range map[string]func(a, b float64) float64{
		"__add": func(a, b float64) float64 { return a + b },
		"__sub": func(a, b float64) float64 { return a - b },
		"__mul": func(a, b float64) float64 { return a * b },
		"__div": func(a, b float64) float64 { return a / b },
		"__mod": numbers.Mod,
		"__pow": numbers.Pow,
		"__unm": func(a, _ float64) float64 { return -a },
	} {
		mt.RawSetString(event, vm.L.NewFunction(func(L *lua.LState) int {
			a, ok := number(L.Get(1))
			if event == "__unm" {
				L.Push(L.Get(1)) // it has one operand; gopher-lua passes it once
			}
			b, ok2 := number(L.Get(2))
			if ok && ok2 {
				L.Push(lua.LNumber(op(a, b)))
				return 1
			}
			s, _ := vm.siteAt(L, 1)
			culprit := 2
			if !ok {
				culprit = 1
			}
			return vm.fail(L, "%s", typeError("perform arithmetic on", s.name(culprit-1), L.Get(culprit).Type().String()))
		}))
	}
}
