package machine

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func TestTheLayoutIsTheLinkedOne(t *testing.T) { require.NoError(t, Supported()) }

func TestBoxesKeepEveryBit(t *testing.T) {
	var m Machine
	for _, f := range []float64{0, math.Copysign(0, -1), 1, 255, 256, 0.5, -1, 1e300, math.Inf(-1), math.NaN(),
		math.Float64frombits(0xfff8 << 48)} {
		n, ok := m.boxes.Number(lua.LNumber(f)).(lua.LNumber)
		require.True(t, ok)
		assert.Equal(t, math.Float64bits(f), math.Float64bits(float64(n)), f)
	}
}

// run runs a chunk on a state with our loop.
func run(t *testing.T, m *Machine, source string) error {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: FrameRoom, MinimizeStackMemory: true, RegistryMaxSize: 1 << 22,
		RegistryGrowStep: 64})
	t.Cleanup(L.Close)
	fn, err := L.LoadString(source)
	require.NoError(t, err)
	m.Blame = func(L *lua.LState, what string, _ int, v lua.LValue) { L.RaiseError("cannot %s a %s", what, v.Type()) }
	m.Attention = new(atomic.Bool)
	m.Attend = func(L *lua.LState) { L.RaiseError("script killed") }
	L.SetGlobal("kill", L.NewFunction(func(*lua.LState) int {
		m.Attention.Store(true)
		return 0
	}))
	m.Install(L)
	L.Push(fn)
	return L.PCall(0, 0, nil)
}

func TestALoopOfAnyShapeIsStopped(t *testing.T) {
	for _, source := range []string{
		"kill() while true do end",
		"kill() repeat until false",
		"kill() for i = 1, 1e15 do end",
		"local function f() return f() end kill() f()",
		"local function f() f() f() end kill() f()",
		"kill() for _ in function() return 1 end do end",
	} {
		err := run(t, new(Machine), source)
		assert.ErrorContains(t, err, "script killed", source)
	}
}

func TestDeepRecursionEndsInAnError(t *testing.T) {
	assert.ErrorContains(t, run(t, new(Machine), "local function f() return 1 + f() end f()"), "stack overflow")
}

func TestOperandsAreBlamed(t *testing.T) {
	assert.ErrorContains(t, run(t, new(Machine), "local x; return x.y"), "cannot index a nil")
	assert.ErrorContains(t, run(t, new(Machine), "local x = {}; return 1 + x"), "cannot perform arithmetic on a table")
	assert.ErrorContains(t, run(t, new(Machine), "local x = {}; return 'a' .. x"), "cannot concatenate a table")
	assert.ErrorContains(t, run(t, new(Machine), "return #kill"), "cannot get length of a function")
	assert.ErrorContains(t, run(t, new(Machine), "return {} < {}"), "attempt to compare two table values")
}

func BenchmarkSupported(b *testing.B) {
	for b.Loop() {
		if err := Supported(); err != nil {
			b.Fatal(err)
		}
	}
}
