package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// longScript returns a script that takes long to compile and ends with the given text.
func longScript(behind string) string {
	return strings.Repeat("if nil then f() end ", 300_000) + behind
}

func TestOthersAreServedWhileALongTextIsCompiled(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	ctx := context.Background()
	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	ended := make(chan error)
	go func() {
		_, err := sess.Eval(ctx, longScript("redis.call('append', KEYS[1], 'a') return 1"), []string{"k"})
		ended <- err
	}()
	patience.Until(t, func() (compiling bool) {
		require.NoError(t, e.onLoop(func() { compiling = len(e.compiling.jobs) > 0 }))
		return compiling
	})
	_, err = e.Do(ctx, "PING") // the loop answers, so it does not compile
	require.NoError(t, err)
	require.NoError(t, e.onLoop(func() { assert.NotEmpty(t, e.calls, "the command waits") }))
	go func() { _, err := sess.Do(ctx, "APPEND", "k", "b"); ended <- err }() // waits behind it
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	assert.Equal(t, "ab", v.Text())
	require.NoError(t, e.onLoop(func() { assert.Empty(t, e.compiling.ready); assert.Empty(t, e.compiling.jobs) }))
}

// startCompiling starts a call with a long text, and returns when the text is being compiled.
func startCompiling(t *testing.T, e *Engine, call func() error) chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	patience.Until(t, func() (compiling bool) {
		require.NoError(t, e.onLoop(func() { compiling = len(e.compiling.jobs) > 0 }))
		return compiling
	})
	return ended
}

func TestACompilationIsGivenUpWhenItsClientHasGone(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	first := func() (j *compileJob) {
		require.NoError(t, e.onLoop(func() {
			if len(e.compiling.jobs) > 0 {
				j = e.compiling.jobs[0]
			}
		}))
		return j
	}
	givenUp := func(j *compileJob) {
		t.Helper()
		patience.Until(t, func() bool { return first() != j })
		require.NoError(t, e.onLoop(func() { require.Equal(t, errNobodyWaits, j.err); require.Empty(t, e.compiling.ready) }))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := startCompiling(t, e, func() error { _, err := e.Eval(ctx, longScript("return 1"), nil); return err })
	j := first()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	givenUp(j)

	sess, err := e.NewSession()
	require.NoError(t, err)
	ended = startCompiling(t, e, func() error {
		_, err := sess.Do(context.Background(), "SCRIPT", "LOAD", longScript("return 2"))
		return err
	})
	j = first()
	require.NoError(t, sess.Close())
	require.ErrorIs(t, <-ended, ErrSessionClosed)
	// A later call with the same text does not count as one of the calls that were cancelled.
	v, err := e.Eval(context.Background(), longScript("return 2"), nil)
	require.NoError(t, err)
	require.EqualValues(t, 2, v.MustInt())
	givenUp(j)
}

func TestATextIsCompiledForThoseWhoStillWait(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	source := longScript("return 1")
	ctx, cancel := context.WithCancel(context.Background())
	ended := startCompiling(t, e, func() error { _, err := e.Eval(ctx, source, nil); return err })
	other := make(chan error, 1)
	go func() { _, err := e.Eval(context.Background(), source, nil); other <- err }()
	queued, stop := context.WithCancel(context.Background())
	third := make(chan error, 1)
	go func() { _, err := e.Eval(queued, longScript("return 2"), nil); third <- err }()
	patience.Until(t, func() (both bool) {
		require.NoError(t, e.onLoop(func() { both = len(e.compiling.jobs) >= 2 && len(e.compiling.jobs[0].waits) >= 2 }))
		return both
	})
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	stop()
	require.ErrorIs(t, <-third, context.Canceled)
	require.NoError(t, e.onLoop(func() { require.Len(t, e.compiling.jobs, 1, "one that has not begun is forgotten") }))
	require.NoError(t, <-other)
}

func TestACompilationIsStopped(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	started := func(call func() error) chan error { return startCompiling(t, e, call) }
	ended := started(func() error { _, err := e.Eval(context.Background(), longScript("return 1"), nil); return err })
	_, err = e.Do(context.Background(), "SCRIPT", "KILL")
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "Script killed by user")

	ended = started(func() error {
		_, err := e.Do(context.Background(), "FUNCTION", "LOAD", "#!lua name=l\n"+longScript(""))
		return err
	})
	_, err = e.Do(context.Background(), "SCRIPT", "KILL")
	require.ErrorContains(t, err, "NOTBUSY")
	_, err = e.Do(context.Background(), "FUNCTION", "KILL")
	require.NoError(t, err)
	require.EqualError(t, <-ended, "ERR Script killed by user with SCRIPT KILL...")

	ctx, cancel := context.WithCancel(context.Background())
	ended = started(func() error { _, err := e.Eval(ctx, longScript("return 2"), nil); return err })
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	ended = started(func() error { _, err := e.Eval(context.Background(), longScript("return 3"), nil); return err })
	require.NoError(t, e.Close())
	require.ErrorIs(t, <-ended, ErrClosed)
}

func TestCompilationsEnd(t *testing.T) {
	e, err := New(Options{ScriptMemory: 64 << 20})
	require.NoError(t, err)
	defer e.Close()
	ctx := context.Background()
	for name, args := range map[string][]any{
		"eval":     {"EVAL", "return {" + strings.Repeat("1,", 12_000_000) + "}", 0},
		"load":     {"SCRIPT", "LOAD", "return {" + strings.Repeat("1,", 12_000_000) + "}"},
		"function": {"FUNCTION", "LOAD", "#!lua name=l\nlocal t = {" + strings.Repeat("1,", 12_000_000) + "}"},
	} {
		if name == "load" && !tier.IsLanding() { // as eval
			continue
		}
		_, err := e.Do(ctx, args...)
		assert.ErrorContains(t, err, "bytes of memory", name)
	}
	_, err = e.Do(ctx, "MULTI")
	assert.Error(t, err)
	v, err := e.Eval(ctx, longScript("return 7"), nil)
	require.NoError(t, err)
	assert.EqualValues(t, 7, v.MustInt())
	_, err = e.Eval(ctx, longScript("x ="), nil)
	assert.ErrorContains(t, err, "user_script:1: unexpected symbol near '<eof>'")
	_, err = e.Do(ctx, "FUNCTION", "LOAD", "#!lua name=l\n"+longScript("redis.register_function('f', function() return 8 end)"))
	require.NoError(t, err)
	v, err = e.FCall(ctx, "f", nil)
	require.NoError(t, err)
	assert.EqualValues(t, 8, v.MustInt())
}

func TestScriptsThatTakeMuchAreCompiledAgain(t *testing.T) {
	tier.Landing(t)
	e, err := New(Options{ScriptMemory: 64 << 20})
	require.NoError(t, err)
	defer e.Close()
	ctx := context.Background()
	var shas []string
	for _, behind := range []string{"return 1", "return 2", "return 3", "return 4"} {
		v, err := e.Do(ctx, "SCRIPT", "LOAD", longScript(behind))
		require.NoError(t, err)
		shas = append(shas, v.Text())
	}
	for range 2 {
		for i, sha := range shas {
			v, err := e.EvalSHA(ctx, sha, nil)
			require.NoError(t, err)
			assert.EqualValues(t, i+1, v.MustInt())
		}
	}
}
