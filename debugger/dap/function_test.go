package dap

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

const shop = `#!lua name=shop
local calls = 0
redis.register_function('claim', function(keys, args)
  calls = calls + 1
  return redis.call('INCRBY', keys[1], args[1])
end)
redis.register_function{function_name = 'look', flags = {'no-writes'}, callback = function(keys)
  return redis.call('GET', keys[1])
end}
`

func TestLaunchAFunction(t *testing.T) {
	file := write(t, "shop.lua", shop)
	c := dial(t, newServer(t, Options{}))
	c.begin("launch", map[string]any{"script": file, "call": "claim", "keys": []string{"k"}, "args": []string{"3"}, "stopOnEntry": true})
	set := c.do("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []any{map[string]any{"line": 2}}})
	require.True(t, set.(*dap.SetBreakpointsResponse).Body.Breakpoints[0].Verified)
	c.do("configurationDone", nil)

	top := func() dap.StackFrame {
		frames := c.do("stackTrace", map[string]any{"threadId": 1}).(*dap.StackTraceResponse).Body.StackFrames
		require.Equal(t, filepath.Base(file), frames[0].Source.Name)
		return frames[0]
	}
	require.Equal(t, "breakpoint", c.wait("stopped").(*dap.StoppedEvent).Body.Reason)
	require.Equal(t, 2, top().Line, "while the library is loaded")
	c.do("continue", map[string]any{"threadId": 1})
	require.Equal(t, "entry", c.wait("stopped").(*dap.StoppedEvent).Body.Reason)
	require.Equal(t, 4, top().Line)
	require.Contains(t, top().Name, "claim")
	c.do("next", map[string]any{"threadId": 1})
	c.wait("stopped")
	require.Equal(t, 5, top().Line)
	c.do("stepBack", map[string]any{"threadId": 1})
	c.wait("stopped")
	require.Equal(t, 4, top().Line)
	c.do("continue", map[string]any{"threadId": 1})
	require.Equal(t, 0, c.wait("exited").(*dap.ExitedEvent).Body.ExitCode)
}

func TestLaunchNeedsAFunctionOfTheLibrary(t *testing.T) {
	for want, arguments := range map[string]map[string]any{
		`attribute call: "" is not a function of the library, which has: claim, look no-writes`:      {"text": shop},
		`attribute call: "other" is not a function of the library, which has: claim, look no-writes`: {"text": shop, "call": "other"},
		errNoLibrary.Error(): {"text": "return 1", "call": "f"},
	} {
		c := dial(t, newServer(t, Options{}))
		c.do("initialize", map[string]any{"adapterID": "redmoon"})
		require.Equal(t, want, c.fail("launch", arguments))
	}
}

// A client attaches by the file of a library: FUNCTION LOAD and FCALL_RO stop at its breakpoints.
func TestAttachToFunctions(t *testing.T) {
	e := newEngine(t, engine.Options{})
	file := write(t, "shop.lua", shop)
	c := connect(t, listening(t, NewServer(Options{Engine: e})))
	c.begin("attach", map[string]any{"script": file, "stopOnEntry": false})
	c.do("setBreakpoints", map[string]any{"source": map[string]any{"path": file},
		"breakpoints": []any{map[string]any{"line": 2}, map[string]any{"line": 8}}})
	c.do("configurationDone", nil)
	done := make(chan error, 1)
	go func() {
		_, err := e.DoStrings(context.Background(), "FUNCTION", "LOAD", shop)
		if err == nil {
			_, err = e.DoStrings(context.Background(), "FCALL_RO", "look", "1", "k")
		}
		done <- err
	}()
	for _, line := range []int{2, 8} {
		thread := c.wait("stopped").(*dap.StoppedEvent).Body.ThreadId
		frames := c.do("stackTrace", map[string]any{"threadId": thread}).(*dap.StackTraceResponse).Body.StackFrames
		require.Equal(t, line, frames[0].Line)
		require.Equal(t, file, frames[0].Source.Path)
		c.do("continue", map[string]any{"threadId": thread})
	}
	require.NoError(t, <-done)
	c.do("disconnect", nil)
}
