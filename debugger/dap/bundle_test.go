package dap

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

// A script of several files has breakpoints, stops and places in all of them.
func TestLaunchAScriptOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	file("redmoon.toml", "folders = {lib = 'lib'}\n")
	main := file("take.lua", "local call = redis.call\n\n--- @include \"<lib>/take\"\n\nlocal v = take(KEYS[1])\nreturn v\n")
	lib := file("lib/take.lua", "local function take(key)\n\n  return call('INCR', key)\nend\n")
	c := dial(t, newServer(t, Options{}))
	c.begin("launch", map[string]any{"script": main, "keys": []string{"k"}})
	set := func(path string, lines ...int) []dap.Breakpoint {
		var list []any
		for _, line := range lines {
			list = append(list, map[string]any{"line": line})
		}
		r := c.do("setBreakpoints", map[string]any{"source": map[string]any{"path": path}, "breakpoints": list})
		return r.(*dap.SetBreakpointsResponse).Body.Breakpoints
	}
	got := set(lib, 2, 9)
	require.True(t, got[0].Verified)
	require.Equal(t, 3, got[0].Line, "the next line with code")
	require.Equal(t, lib, got[0].Source.Path)
	require.False(t, got[1].Verified)
	got = set(main, 6)
	require.Equal(t, 6, got[0].Line)
	require.Equal(t, main, got[0].Source.Path)
	require.Equal(t, "this is not the script that is debugged", set(filepath.Join(dir, "redmoon.toml"), 1)[0].Message)

	at := c.do("breakpointLocations", map[string]any{"source": map[string]any{"path": lib}, "line": 1, "endLine": 9})
	require.Equal(t, []dap.BreakpointLocation{{Line: 3}, {Line: 4}}, at.(*dap.BreakpointLocationsResponse).Body.Breakpoints)
	require.Len(t, c.do("loadedSources", nil).(*dap.LoadedSourcesResponse).Body.Sources, 2)

	c.do("configurationDone", nil)
	stop := func(reason, path string, line int) []dap.StackFrame {
		t.Helper()
		require.Equal(t, reason, c.wait("stopped").(*dap.StoppedEvent).Body.Reason)
		frames := c.do("stackTrace", map[string]any{"threadId": 1}).(*dap.StackTraceResponse).Body.StackFrames
		require.Equal(t, path, frames[0].Source.Path)
		require.Equal(t, line, frames[0].Line)
		return frames
	}
	frames := stop("breakpoint", lib, 3)
	require.Equal(t, main, frames[1].Source.Path)
	require.Equal(t, 5, frames[1].Line)
	c.do("continue", map[string]any{"threadId": 1})
	stop("breakpoint", main, 6)
	c.do("stepBack", map[string]any{"threadId": 1})
	stop("step", lib, 3)
	set(lib)
	c.do("continue", map[string]any{"threadId": 1})
	stop("breakpoint", main, 6)
	c.do("continue", map[string]any{"threadId": 1})
	require.Equal(t, 0, c.wait("exited").(*dap.ExitedEvent).Body.ExitCode)
}
