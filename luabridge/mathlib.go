package luabridge

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
)

// degree is one degree in radians.
const degree = math.Pi / 180

func (vm *VM) mathFunctions() map[string]lua.LGFunction {
	fns := map[string]lua.LGFunction{
		"frexp":      vm.mathFrexp,
		"ldexp":      vm.mathLdexp,
		"max":        vm.mathMax,
		"min":        vm.mathMin,
		"modf":       vm.mathModf,
		"random":     vm.mathRandom,
		"randomseed": vm.mathRandomSeed,
	}
	for name, f := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": numbers.Acos, "asin": numbers.Asin, "atan": numbers.Atan, "ceil": math.Ceil, "cos": numbers.Cos,
		"cosh": numbers.Cosh, "deg": func(x float64) float64 { return x / degree }, "exp": numbers.Exp, "floor": math.Floor,
		"log": numbers.Log, "log10": numbers.Log10, "rad": func(x float64) float64 { return x * degree }, "sin": numbers.Sin,
		"sinh": numbers.Sinh, "sqrt": numbers.Sqrt, "tan": numbers.Tan, "tanh": numbers.Tanh,
	} {
		fns[name] = func(L *lua.LState) int {
			L.Push(boxFloat(f(vm.numberArgument(L, 1))))
			return 1
		}
	}
	for name, f := range map[string]func(x, y float64) float64{
		"atan2": numbers.Atan2, "fmod": numbers.Fmod, "pow": numbers.Pow,
	} {
		fns[name] = func(L *lua.LState) int {
			y := vm.numberArgument(L, 2) // the second is looked at first, as C's compiler has it
			L.Push(boxFloat(f(vm.numberArgument(L, 1), y)))
			return 1
		}
	}
	return fns
}

// mathConstants are the fields of math that are no functions.
func mathConstants() map[string]lua.LValue {
	return map[string]lua.LValue{"huge": lua.LNumber(math.Inf(1)), "pi": lua.LNumber(math.Pi)}
}

func (vm *VM) mathFrexp(L *lua.LState) int {
	frac, exp := math.Frexp(vm.numberArgument(L, 1))
	L.Push(boxFloat(frac))
	L.Push(boxInt(int64(exp)))
	return 2
}

func (vm *VM) mathLdexp(L *lua.LState) int {
	exp := vm.intArgument(L, 2)
	L.Push(boxFloat(math.Ldexp(vm.numberArgument(L, 1), exp)))
	return 1
}

func (vm *VM) mathMax(L *lua.LState) int {
	most := vm.numberArgument(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := vm.numberArgument(L, i); f > most {
			most = f
		}
	}
	L.Push(boxFloat(most))
	return 1
}

func (vm *VM) mathMin(L *lua.LState) int {
	least := vm.numberArgument(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := vm.numberArgument(L, i); f < least {
			least = f
		}
	}
	L.Push(boxFloat(least))
	return 1
}

// mathModf returns the integral and the fractional part, both with the sign of the argument.
func (vm *VM) mathModf(L *lua.LState) int {
	f := vm.numberArgument(L, 1)
	whole := math.Trunc(f)
	frac := math.Copysign(f-whole, f)
	if math.IsInf(f, 0) {
		frac = math.Copysign(0, f)
	}
	L.Push(boxFloat(whole))
	L.Push(boxFloat(frac))
	return 2
}

// randomState is the 48-bit generator behind math.random: one sequence a process, never
// reseeded but by math.randomseed.
type randomState struct {
	x uint64
}

const randomStart = 0x1234abcd330e

func (r *randomState) next() int32 {
	if r.x == 0 {
		r.x = randomStart
	}
	r.x = (r.x*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(r.x >> 17)
}

func (r *randomState) seed(s int32) { r.x = uint64(uint32(s))<<16 | randomStart&0xffff }

func (r *randomState) float() float64 {
	return float64(r.next()%math.MaxInt32) / math.MaxInt32
}

// mathRandom is random([[low,] high]). A number is drawn even when the arguments are wrong.
func (vm *VM) mathRandom(L *lua.LState) int {
	r := vm.random.float()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r))
	case 1:
		high := vm.intArgument(L, 1)
		if high < 1 {
			return vm.badArgument(L, 1, "interval is empty")
		}
		L.Push(boxFloat(math.Floor(r*float64(high)) + 1))
	case 2:
		low, high := vm.intArgument(L, 1), vm.intArgument(L, 2)
		if low > high {
			return vm.badArgument(L, 2, "interval is empty")
		}
		width := int32(high - low + 1) // C's int overflows
		L.Push(boxFloat(math.Floor(r*float64(width)) + float64(low)))
	default:
		return vm.fail(L, "wrong number of arguments")
	}
	return 1
}

func (vm *VM) mathRandomSeed(L *lua.LState) int {
	vm.random.seed(int32(vm.intArgument(L, 1)))
	return 0
}
