package limits_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/limits"
)

// limited returns limits that count how often they would have ended the script.
func limited(opt limits.Options) (l *limits.Limits, kills *int) {
	l, kills = &limits.Limits{}, new(int)
	opt.Kill = func(*lua.LState) { *kills++ }
	l.Open(opt)
	l.BeginRun()
	return l, kills
}

func TestAnOrderForARunEndsNoOther(t *testing.T) {
	l, kills := limited(limits.Options{})
	var late func()
	l.After = func(_ time.Duration, f func()) func() { late = f; return func() {} }
	stop := l.EndLater(time.Second, "too late")
	l.Poll(nil)
	require.Zero(t, *kills)
	late()
	require.Equal(t, "too late", l.Order().Text)
	l.Poll(nil)
	require.Equal(t, 1, *kills)
	l.Poll(nil)
	require.Equal(t, 2, *kills, "as if a pcall had caught the error")
	stop()

	l.EndRun()
	l.BeginRun()
	late()
	require.Nil(t, l.Order())
	l.Poll(nil)
	require.Equal(t, 2, *kills)
}

func TestAnEvaluationEndsAlone(t *testing.T) {
	l, kills := limited(limits.Options{MaxSteps: 10})
	l.Spend(nil, 8)
	end := l.BeginEval()
	l.Spend(nil, 8)
	require.Zero(t, *kills, "an evaluation has steps of its own")
	l.Spend(nil, 8)
	require.Equal(t, 1, *kills)
	require.True(t, l.Order().Eval)
	end()
	l.Poll(nil)
	require.Nil(t, l.Order())
	require.Equal(t, 1, *kills)
	l.Spend(nil, 3)
	require.Equal(t, 2, *kills)
	require.False(t, l.Order().Eval)
}

func TestMemoryIsMeasuredWhenMuchIsReserved(t *testing.T) {
	walks, live := 0, int64(100)
	l, kills := limited(limits.Options{MaxMemory: 1 << 20, Measure: func(*lua.LState, int64) int64 { walks++; return live }})
	l.Budget.Ask(nil, 1<<17)
	require.Zero(t, walks)
	l.Budget.Ask(nil, 1<<19)
	require.Equal(t, 1, walks)
	require.Zero(t, *kills)
	live = 2 << 20
	l.Budget.Ask(nil, 1<<20)
	require.Equal(t, 2, walks)
	require.Equal(t, "ERR Script stopped: it needs more than 1048576 bytes of memory", l.Order().Text)
}
