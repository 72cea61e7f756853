package difftest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// maxLines is how many lines of a run are compared.
const maxLines = 2000

// TestLines compares the lines that a script reaches, one after the other, with those at which
// Redis's debugger stops when it is stepped through. The scripts of testdata/lines have goldens;
// the repository's own are compared only where there is an oracle.
func TestLines(t *testing.T) {
	files, err := filepath.Glob("testdata/lines/*.lua")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".lua"), func(t *testing.T) {
			s := readStepped(t, file)
			golden := strings.TrimSuffix(file, ".lua") + ".golden"
			var theirs []int
			if theRunner.Mode == Live {
				theirs = oracleLines(t, s)
			} else {
				text, err := os.ReadFile(golden)
				require.NoError(t, err)
				for _, word := range strings.Fields(string(text)) {
					n, err := strconv.Atoi(word)
					require.NoError(t, err)
					theirs = append(theirs, n)
				}
			}
			require.NotEmpty(t, theirs)
			require.Less(t, len(theirs), maxLines)
			require.Equal(t, theirs, reachedLines(t, s))
			text := strings.Trim(fmt.Sprint(theirs), "[]") + "\n"
			if *record {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			have, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(have), text, "the golden is not what the oracle does: record it")
		})
	}
	t.Run("scripts", func(t *testing.T) {
		needsOracle(t)
		files, err := filepath.Glob(filepath.Join(Root(), "scripts/*/*.lua"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			s := readStepped(t, file)
			require.Equal(t, oracleLines(t, s), reachedLines(t, s), file)
		}
	})
}

// steppedScript is a script that is stepped through.
type steppedScript struct {
	src        string
	keys, args []string
}

var steppedHeader = regexp.MustCompile(`(?m)^-- (keys|args): (.*)$`)

// readStepped reads a script; a comment "-- keys: a b" or "-- args: a b" says how it is called.
func readStepped(t *testing.T, file string) steppedScript {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := steppedScript{src: string(text)}
	for _, m := range steppedHeader.FindAllStringSubmatch(s.src, -1) {
		if m[1] == "keys" {
			s.keys = strings.Fields(m[2])
		} else {
			s.args = strings.Fields(m[2])
		}
	}
	return s
}

var stoppedAt = regexp.MustCompile(`\* Stopped at (\d+),`)

// oracleLines returns the lines at which the oracle stops, nil if it does not run the script.
func oracleLines(t *testing.T, s steppedScript) (lines []int) {
	require.NoError(t, theRunner.Oracle.Reset())
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Do([]string{"SCRIPT", "DEBUG", "SYNC"})
	require.NoError(t, err)
	eval := slices.Concat([]string{"EVAL", s.src, strconv.Itoa(len(s.keys))}, s.keys, s.args)
	for cmd := eval; len(lines) < maxLines; cmd = []string{"step"} {
		raw, err := c.Do(cmd)
		if err != nil || raw[0] == '-' {
			return lines
		}
		for _, m := range stoppedAt.FindAllSubmatch(raw, -1) {
			n, err := strconv.Atoi(string(m[1]))
			require.NoError(t, err)
			lines = append(lines, n)
		}
		if strings.Contains(string(raw), "<endsession>") {
			return lines
		}
	}
	return lines
}

// reachedLines returns the lines that Redmoon reaches. Each of them accepts a breakpoint.
func reachedLines(t *testing.T, s steppedScript) (lines []int) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	start := func(*engine.DebugRun) engine.Debugger {
		return tracer{reach: func(stack *engine.Stack, line int) {
			if lines = append(lines, line); len(lines) == maxLines {
				stack.Abort("ERR enough")
			}
		}}
	}
	if _, err = e.DebugScript(context.Background(), engine.NewScript(s.src), s.keys, s.args, start); err != nil {
		var failed *engine.Error // the script's own
		require.ErrorAs(t, err, &failed)
	}
	can, err := engine.ScriptLines(s.src)
	if err == nil && !strings.Contains(s.src, "user_script") { // code loaded under that name has lines of its own
		for _, line := range lines {
			require.Contains(t, can, line, s.src)
		}
	}
	return lines
}

// tracer is notified about lines only.
type tracer struct {
	reach func(s *engine.Stack, line int)
}

func (t tracer) Line(s *engine.Stack, line int) { t.reach(s, line) }

func (tracer) Call(*engine.Stack, []string) {}

func (tracer) Reply(*engine.Stack, []string, engine.Value) {}

func (tracer) Raise(*engine.Stack, engine.LuaValue, bool) {}

func (tracer) Complain(*engine.Stack, string) {}

func (tracer) Breakpoint(*engine.Stack) bool { return true }

func (tracer) Print(*engine.Stack, []engine.LuaValue) {}

func (tracer) Log(*engine.Stack, int, string) {}
