package machine

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// TestBeginLeavesAnEmptyThread ends bodies in every way, with and without frames in other segments.
func TestBeginLeavesAnEmptyThread(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: FrameRoom, MinimizeStackMemory: true, RegistryMaxSize: 1 << 22,
		RegistryGrowStep: 64})
	t.Cleanup(L.Close)
	m := &Machine{Attention: new(atomic.Bool)}
	m.Install(L)
	L.G.MainThread, L.G.CurrentThread = L, L
	L.Panic = func(L *lua.LState) {
		panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: L.Get(-1), StackTrace: NoTrace})
	}
	L.SetGlobal("raise", L.NewFunction(func(L *lua.LState) int {
		L.Error(lua.LString("raised"), 0)
		return 0
	}))
	cause := errors.New("a fault in Go")
	L.SetGlobal("fault", L.NewFunction(func(*lua.LState) int { panic(cause) }))
	source := func(end string) string {
		return "local function f(n) if n == 0 then " + end + " end local x = f(n - 1) return x end return f"
	}
	mark := &lua.LFunction{IsG: true}
	for _, end := range []string{"return 7", "raise()", "fault()", "return f(2e6)"} {
		for _, depth := range []int{0, 1, framesPerSegment, 500} {
			chunk, err := L.LoadString(source(end))
			require.NoError(t, err)
			var got lua.LValue
			failed := Begin(L, mark, func(L *lua.LState) {
				L.Push(chunk)
				L.Call(0, 1)
				L.Push(lua.LNumber(depth))
				L.Call(1, 1)
				got = L.Get(-1)
			})
			switch end {
			case "return 7":
				require.Nil(t, failed)
				assert.Equal(t, lua.LNumber(7), got)
			case "raise()":
				require.NotNil(t, failed)
				assert.Equal(t, lua.LString("raised"), failed.Object)
			case "fault()":
				require.NotNil(t, failed)
				assert.Equal(t, lua.ApiErrorPanic, failed.Type)
				assert.Equal(t, cause.Error(), failed.Cause.Error())
			default:
				require.NotNil(t, failed)
				assert.Contains(t, failed.Object.String(), "stack overflow")
			}
			m.Unwind(Nesting{})
			s := look(L)
			assert.Nil(t, s.currentFrame)
			assert.Zero(t, s.stack.stack.segIdx)
			assert.Zero(t, s.stack.stack.segSp)
			assert.Zero(t, L.GetTop())
			for _, other := range s.stack.stack.segments[1:] {
				assert.Nil(t, other)
			}
		}
	}
}
