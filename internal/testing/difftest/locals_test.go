package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// maxStops is the number of stops of a run at which locals are compared.
const maxStops = 300

// TestLocals compares the locals of the innermost function and the functions in progress, at each
// line that a script reaches, with what Redis's debugger shows there. The scripts and the
// environment variables are those of TestLines.
func TestLocals(t *testing.T) {
	needsOracle(t)
	t.Run("scripts", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(Root(), "internal/testing/difftest/testdata/locals/*.lua"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			theirs, ours := oracleLocals(t, string(text)), shownLocals(t, string(text))
			require.NotEmpty(t, theirs, file)
			for i := range min(len(theirs), len(ours)) {
				require.Equal(t, theirs[i], ours[i], "%s, stop %d", file, i)
			}
			require.Len(t, ours, len(theirs), file)
		}
	})
	t.Run("random", func(t *testing.T) {
		seed, count := luagen.Settings(50, 100)
		rng := rand.New(rand.NewPCG(seed, 6))
		compared := 0
		for range count {
			src := luagen.BreakLines(rng, luagen.Program(rng, 1+rng.IntN(4)))
			differ := func(src string) bool {
				if strings.Contains(src, "load(") { // it may read without end
					return false
				}
				theirs, ours := oracleLocals(t, src), shownLocals(t, src)
				if strings.Contains(src, "xpcall") { // its handler runs on top of what failed there
					withoutFunctions(theirs)
					withoutFunctions(ours)
				}
				compared += len(theirs)
				return stopsDiffer(theirs, ours)
			}
			if differ(src) {
				src = luagen.Shrink(src, differ)
				theirs, ours := oracleLocals(t, src), shownLocals(t, src)
				if i := max(firstDifference(theirs, ours), 0); i < min(len(theirs), len(ours)) {
					t.Errorf("%s\nstop %d\noracle %s\nours   %s", src, i, theirs[i], ours[i])
				}
			}
		}
		t.Logf("%d stops compared", compared)
	})
}

func withoutFunctions(stops []string) {
	for i := range stops {
		stops[i], _, _ = strings.Cut(stops[i], " in ")
	}
}

// stopsDiffer reports whether the stops of two runs differ, up to the first line that only one has
// reached. TestLines compares the lines.
func stopsDiffer(theirs, ours []string) bool { return firstDifference(theirs, ours) >= 0 }

func firstDifference(theirs, ours []string) int {
	for i := range min(len(theirs), len(ours)) {
		a, _, _ := strings.Cut(theirs[i], ":")
		b, _, _ := strings.Cut(ours[i], ":")
		if a != b {
			return -1
		}
		if anyAddress.ReplaceAllString(theirs[i], "") != anyAddress.ReplaceAllString(ours[i], "") {
			return i
		}
	}
	return -1
}

var (
	localLine  = regexp.MustCompile(`(?s)^<value> (\(?[\w ]+\)?) = (.*)$`)
	nameOnly   = regexp.MustCompile(`^"?(\w+)@0x`)
	sourceLine = regexp.MustCompile(`^(?:->| [ #])\s*(\d+) `)
	traceFrame = regexp.MustCompile(`^(In|From) (.*):$`)
)

// oracleLocals are the stops of Redis's debugger, each with the locals that it prints and the
// functions of its trace.
func oracleLocals(t *testing.T, src string) (stops []string) {
	require.NoError(t, theRunner.Oracle.Reset())
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	ask := func(cmd ...string) []string {
		raw, err := c.Do(cmd)
		if err != nil || raw[0] != '*' {
			return nil
		}
		return statusLines(string(raw))
	}
	if _, err := c.Do([]string{"SCRIPT", "DEBUG", "YES"}); err != nil { // a fork, which an endless script does not block
		return nil
	}
	for cmd := []string{"EVAL", src, "0"}; len(stops) < maxStops; cmd = []string{"step"} {
		lines := ask(cmd...)
		if len(lines) == 0 || lines[len(lines)-1] == "<endsession>" {
			return stops
		}
		var at string
		for _, line := range lines {
			if m := stoppedAt.FindStringSubmatch(line); m != nil {
				at = m[1]
			}
		}
		if len(stops) == 0 {
			ask("maxlen", "0")
		}
		var vars []string
		for _, line := range ask("print") {
			if m := localLine.FindStringSubmatch(line); m != nil {
				vars = append(vars, m[1]+"="+scalar(m[2]))
			}
		}
		var frames []string
		for _, line := range ask("trace") {
			if m := traceFrame.FindStringSubmatch(line); m != nil {
				frames = append(frames, m[2])
			} else if m := sourceLine.FindStringSubmatch(line); m != nil && len(frames) > 0 {
				frames[len(frames)-1] += ":" + m[1]
			}
		}
		stops = append(stops, fmt.Sprintf("%s: %s in %s", at, strings.Join(vars, " "), strings.Join(frames, ", ")))
	}
	ask("abort")
	return stops
}

// statusLines are the elements of an array of status replies.
func statusLines(raw string) []string {
	var out []string
	for _, line := range strings.Split(raw, "\r\n") {
		if text, ok := strings.CutPrefix(line, "+"); ok {
			out = append(out, text)
		}
	}
	return out
}

// scalar is what is compared of a value that the debugger prints: a number, string or boolean as it
// is, of other values the kind.
func scalar(text string) string {
	if strings.HasPrefix(text, "{") {
		return "table"
	}
	if strings.HasPrefix(text, `"light-userdata@`) {
		return "userdata"
	}
	if m := nameOnly.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func shownLocals(t *testing.T, src string) (stops []string) {
	e, err := engine.New(engine.Options{ScriptSteps: 200000})
	require.NoError(t, err)
	defer e.Close()
	l := looker{look: func(s *luabridge.Stack, line int) {
		if len(stops) == maxStops {
			s.Abort("enough seen")
		}
		frames := s.Frames()
		var vars, trace []string
		for _, v := range frames[0].Locals() {
			vars = append(vars, v.Name+"="+printed(v.Value))
		}
		for _, f := range frames {
			if f.Thread != frames[0].Thread {
				break
			}
			if f.Kind == luabridge.LibraryFunction || f.Chunk != "" {
				continue
			}
			name := f.Name
			if name == "" || f.Kind == luabridge.MainChunk {
				name = "top level"
			}
			trace = append(trace, fmt.Sprintf("%s:%d", name, f.Line))
		}
		stops = append(stops, fmt.Sprintf("%d: %s in %s", line, strings.Join(vars, " "), strings.Join(trace, ", ")))
	}}
	_, _ = e.DebugScript(context.Background(), engine.NewScript(src), nil, nil, func(*engine.DebugRun) engine.Debugger { return l })
	return stops // also if the script ends with an error or does not compile
}

func printed(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.NilKind:
		return "nil"
	case luabridge.BooleanKind:
		return strconv.FormatBool(v.Bool())
	case luabridge.NumberKind:
		return string(numbers.Append(nil, v.Number(), 6))
	case luabridge.StringKind:
		return quoted(v.Text())
	}
	return v.Kind().String()
}

// quoted writes a string as Redis does for people.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if at := strings.IndexByte("\\\"\n\r\t\a\b", s[i]); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte("\\\"nrtab"[at])
		} else if s[i] >= ' ' && s[i] < 0x7f {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// looker gets the stack at each line, and no other notifications.
type looker struct {
	tracer
	look func(s *luabridge.Stack, line int)
}

func (l looker) Line(s *luabridge.Stack, line int) { l.look(s, line) }
