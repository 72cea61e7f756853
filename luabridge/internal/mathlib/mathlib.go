package mathlib

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
)

// degree is one degree in radians.
const degree = math.Pi / 180

// Library is the library with its ties to the program around it. It belongs to one goroutine.
type Library struct {
	args.Host
	Random *Random
}

// Functions returns the functions of the library.
func Functions() []args.Function[Library] {
	list := []args.Function[Library]{
		{Name: "frexp", Call: (*Library).frexp},
		{Name: "ldexp", Call: (*Library).ldexp},
		{Name: "max", Call: (*Library).max},
		{Name: "min", Call: (*Library).min},
		{Name: "modf", Call: (*Library).modf},
		{Name: "random", Call: (*Library).random},
		{Name: "randomseed", Call: (*Library).randomSeed},
	}
	for name, f := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": numbers.Acos, "asin": numbers.Asin, "atan": numbers.Atan, "ceil": math.Ceil, "cos": numbers.Cos,
		"cosh": numbers.Cosh, "deg": func(x float64) float64 { return x / degree }, "exp": numbers.Exp, "floor": math.Floor,
		"log": numbers.Log, "log10": numbers.Log10, "rad": func(x float64) float64 { return x * degree }, "sin": numbers.Sin,
		"sinh": numbers.Sinh, "sqrt": numbers.Sqrt, "tan": numbers.Tan, "tanh": numbers.Tanh,
	} {
		list = append(list, args.Function[Library]{Name: name, Call: func(m *Library, L *lua.LState) int {
			L.Push(boxes.Float(f(m.Number(L, 1))))
			return 1
		}})
	}
	for name, f := range map[string]func(x, y float64) float64{
		"atan2": numbers.Atan2, "fmod": numbers.Fmod, "pow": numbers.Pow,
	} {
		list = append(list, args.Function[Library]{Name: name, Call: func(m *Library, L *lua.LState) int {
			y := m.Number(L, 2) // the second is read first, as in Redis
			L.Push(boxes.Float(f(m.Number(L, 1), y)))
			return 1
		}})
	}
	return list
}

// Constants returns the fields of math that are not functions.
func Constants() map[string]lua.LValue {
	return map[string]lua.LValue{"huge": lua.LNumber(math.Inf(1)), "pi": lua.LNumber(math.Pi)}
}

func (m *Library) frexp(L *lua.LState) int {
	frac, exp := math.Frexp(m.Number(L, 1))
	L.Push(boxes.Float(frac))
	L.Push(boxes.Int(exp))
	return 2
}

func (m *Library) ldexp(L *lua.LState) int {
	exp := m.Int(L, 2)
	L.Push(boxes.Float(math.Ldexp(m.Number(L, 1), exp)))
	return 1
}

func (m *Library) max(L *lua.LState) int {
	most := m.Number(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := m.Number(L, i); f > most {
			most = f
		}
	}
	L.Push(boxes.Float(most))
	return 1
}

func (m *Library) min(L *lua.LState) int {
	least := m.Number(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := m.Number(L, i); f < least {
			least = f
		}
	}
	L.Push(boxes.Float(least))
	return 1
}

// modf returns the integral and the fractional part, both with the sign of the argument.
func (m *Library) modf(L *lua.LState) int {
	f := m.Number(L, 1)
	whole := math.Trunc(f)
	frac := math.Copysign(f-whole, f)
	if math.IsInf(f, 0) {
		frac = math.Copysign(0, f)
	}
	L.Push(boxes.Float(whole))
	L.Push(boxes.Float(frac))
	return 2
}

// Random is the 48-bit generator behind math.random. The zero value is at the beginning of its
// sequence.
type Random struct {
	x uint64
}

const randomStart = 0x1234abcd330e

func (r *Random) next() int32 {
	if r.x == 0 {
		r.x = randomStart
	}
	r.x = (r.x*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(r.x >> 17)
}

func (r *Random) seed(s int32) { r.x = uint64(uint32(s))<<16 | randomStart&0xffff }

func (r *Random) float() float64 {
	return float64(r.next()%math.MaxInt32) / math.MaxInt32
}

// random is math.random([[low,] high]). It draws a number even if the arguments are wrong.
func (m *Library) random(L *lua.LState) int {
	r := m.Random.float()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r))
	case 1:
		high := m.Int(L, 1)
		if high < 1 {
			return m.Bad(L, 1, "interval is empty")
		}
		L.Push(boxes.Float(math.Floor(r*float64(high)) + 1))
	case 2:
		low, high := m.Int(L, 1), m.Int(L, 2)
		if low > high {
			return m.Bad(L, 2, "interval is empty")
		}
		width := int32(high - low + 1) // C's int overflows
		L.Push(boxes.Float(math.Floor(r*float64(width)) + float64(low)))
	default:
		return m.Error(L, "wrong number of arguments")
	}
	return 1
}

func (m *Library) randomSeed(L *lua.LState) int {
	m.Random.seed(int32(m.Int(L, 1)))
	return 0
}
