package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

// concat is the .. operator over a whole chain: text for numbers as %.14g, metamethods from the right.
func (vm *VM) concat(L *lua.LState) int {
	n := L.GetTop()
	buf := vm.buf[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			buf = append(buf, v...)
		case lua.LNumber:
			buf = numbers.Append(buf, float64(v), 14)
		default:
			L.Push(vm.concatMeta(L, n))
			return 1
		}
	}
	vm.keep(buf)
	L.Push(lua.LString(buf))
	return 1
}

// keep remembers a scratch buffer, unless it has grown so large that it would be a leak.
func (vm *VM) keep(buf []byte) {
	if cap(buf) <= 1<<16 {
		vm.buf = buf
	}
}

func (vm *VM) concatMeta(L *lua.LState, n int) lua.LValue {
	acc := L.Get(n)
	for i := n - 1; i >= 1; i-- {
		left := L.Get(i)
		a, ok := str(left)
		b, ok2 := str(acc)
		if ok && ok2 {
			acc = lua.LString(a + b)
			continue
		}
		fn := metamethod(left, "__concat")
		if fn == lua.LNil {
			fn = metamethod(acc, "__concat")
		}
		if fn == lua.LNil {
			if ok {
				left = acc
			}
			culprit := i
			if ok {
				culprit = i + 1
			}
			s, _ := vm.siteAt(L, 1)
			vm.fail(L, "%s", typeError("concatenate", s.name(culprit-1), left.Type().String()))
		}
		L.Push(fn)
		L.Push(left)
		L.Push(acc)
		L.Call(2, 1)
		acc = L.Get(-1)
		L.Pop(1)
	}
	return acc
}
