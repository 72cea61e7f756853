package luabridge

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func TestTheSameTextIsCompiledOnce(t *testing.T) {
	const text = "local function f() return KEYS[1] end return f()"
	first, err := CompileScript(text, CompileLimits{})
	require.NoError(t, err)
	second, err := CompileScript(text, CompileLimits{})
	require.NoError(t, err)
	require.Same(t, first.compiledText, second.compiledText)
	require.Equal(t, first.Size(), second.Size())

	flagged, err := CompileScript("#!lua flags=no-writes\n"+text, CompileLimits{})
	require.NoError(t, err)
	require.NotSame(t, first.compiledText, flagged.compiledText)
	require.Equal(t, Shebang|NoWrites, flagged.Flags)

	first.Drop()
	require.True(t, first.Dropped())
	require.False(t, second.Dropped())
	require.NoError(t, first.Restore(CompileLimits{}))
	require.Same(t, second.compiledText, first.compiledText)
}

// What a script costs, and whether it compiles, does not depend on what others have compiled.
func TestLimitsOfCompiledTexts(t *testing.T) {
	text := "local t = {} " + strings.Repeat("t.x = 1 ", 2000)
	s, err := CompileScript(text, CompileLimits{})
	require.NoError(t, err)
	for _, memory := range []int64{1, s.reserved - 1, s.reserved} {
		_, err = CompileScript(text, CompileLimits{MaxMemory: memory})
		fresh := text + fmt.Sprint("-- ", memory)
		_, want := CompileScript(fresh, CompileLimits{MaxMemory: memory})
		require.Equal(t, want, err)
		require.Equal(t, memory < s.reserved, err != nil)
	}
	for range 2 {
		_, err := CompileScript("local = 1", CompileLimits{})
		require.ErrorContains(t, err, "user_script:1:")
	}
}

// A long text is compiled each time, so that its compilation can be stopped.
func TestLongTextsAreNotShared(t *testing.T) {
	text := "return 1" + strings.Repeat(" ", LongText)
	first, err := CompileScript(text, CompileLimits{})
	require.NoError(t, err)
	second, err := CompileScript(text, CompileLimits{})
	require.NoError(t, err)
	require.NotSame(t, first.compiledText, second.compiledText)
}

func TestUnusedTextsAreForgotten(t *testing.T) {
	var c compiledTexts
	held := c.add(textKey{"c", "held"}, &compiledText{reserved: 1})
	for i := range 3 * keptTexts {
		c.add(textKey{"c", fmt.Sprint(i)}, &compiledText{reserved: 1})
	}
	require.Len(t, c.recent, keptTexts)
	require.EqualValues(t, keptTexts, c.size)
	waitFor(&c, 1+keptTexts)
	require.Len(t, c.texts, 1+keptTexts)
	require.Same(t, held, c.find(textKey{"c", "held"}))
	require.Nil(t, c.find(textKey{"c", "0"}))

	large := c.add(textKey{"c", "large"}, &compiledText{reserved: keptTextSize + 1})
	require.Empty(t, c.recent)
	require.Zero(t, c.size)
	waitFor(&c, 2)
	require.Len(t, c.texts, 2)
	require.Same(t, large, c.add(textKey{"c", "large"}, &compiledText{}), "it is in use")
	runtime.KeepAlive(held)
}

// waitFor collects garbage until c has n texts, or for a while.
func waitFor(c *compiledTexts, n int) {
	for range 1000 {
		runtime.GC()
		runtime.Gosched()
		c.mu.Lock()
		have := len(c.texts)
		c.mu.Unlock()
		if have <= n {
			return
		}
	}
}

func TestTextsOnManyGoroutines(t *testing.T) {
	var all sync.WaitGroup
	found := make([]*lua.FunctionProto, 16)
	for i := range found {
		all.Go(func() {
			for j := range 200 {
				s, err := CompileScript(fmt.Sprintf("return %d", j%100), CompileLimits{})
				if err != nil {
					panic(err)
				}
				if found[i] = s.proto; j%50 == 0 {
					runtime.GC()
				}
			}
		})
	}
	all.Wait()
	for _, p := range found {
		require.NotNil(t, p)
	}
}
