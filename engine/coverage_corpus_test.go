package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// TestCoverageCorpus runs the scripts of testdata/coverage and compares the counts with those that
// are written in them, by hand. In a script,
//
//   - "-- call k1 k2 , a1" is a call with these keys and arguments, "-- fcall name k1 , a1" one of
//     a function of a library;
//   - a comment "--> 3" at the end of a line says how often the line was reached, "--> -" that it
//     has no count of its own; after it stand, each behind a bar, the branches of the line as "true
//     2 false 1", or "some 2 none 1" for a loop, and the functions that begin there as "calls name
//     2";
//   - "-- line 5 --> 3" says the same of a line without room for a comment.
//
// Lines without such a comment have no code.
func TestCoverageCorpus(t *testing.T) {
	eachCorpusScript(t, func(t *testing.T, source string) {
		c := engine.NewCoverage()
		runCorpus(t, source, engine.Options{Coverage: c})
		scripts := c.Scripts()
		require.Len(t, scripts, 1)
		require.Equal(t, writtenCounts(t, source), shownCounts(scripts[0], strings.Count(source, "\n")))
	})
}

// eachCorpusScript calls f with each script.
func eachCorpusScript(t *testing.T, f func(t *testing.T, source string)) {
	files, err := filepath.Glob("testdata/coverage/*.lua")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 40)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".lua"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			f(t, string(source))
		})
	}
}

var corpusCall = regexp.MustCompile(`(?m)^-- (call|fcall (\w+))\b ?(.*)$`)

// runCorpus makes the calls of a script, and returns their replies as text.
func runCorpus(t *testing.T, source string, o engine.Options) (replies []string) {
	ctx := context.Background()
	e, err := engine.New(o)
	require.NoError(t, err)
	defer e.Close()
	if strings.HasPrefix(source, "#!lua name=") {
		_, err := e.Do(ctx, "FUNCTION", "LOAD", source)
		require.NoError(t, err)
	}
	calls := corpusCall.FindAllStringSubmatch(source, -1)
	require.NotEmpty(t, calls)
	for _, call := range calls {
		before, after, _ := strings.Cut(call[3], ",")
		var args []any
		for _, word := range strings.Fields(after) {
			args = append(args, word)
		}
		var v engine.Value
		var err error
		if call[2] != "" {
			v, err = e.FCall(ctx, call[2], strings.Fields(before), args...)
		} else {
			v, err = e.Eval(ctx, source, strings.Fields(before), args...)
		}
		replies = append(replies, fmt.Sprint(v, err))
	}
	return replies
}

var writtenLine = regexp.MustCompile(`^-- line (\d+) `)

// writtenCounts returns the expectation of each line, "" for lines without code.
func writtenCounts(t *testing.T, source string) []string {
	lines := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	out := make([]string, len(lines))
	for i, line := range lines {
		at := strings.LastIndex(line, "-->")
		if at < 0 {
			continue
		}
		if m := writtenLine.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			i = n - 1
		}
		require.Empty(t, out[i], i)
		out[i] = strings.TrimSpace(line[at+len("-->"):])
	}
	return out
}

// shownCounts returns the counts of each line in the form of the expectations.
func shownCounts(s engine.ScriptCoverage, lines int) []string {
	out := make([]string, lines)
	for _, l := range s.Lines {
		out[l.Line-1] = strconv.FormatUint(l.Hits, 10)
	}
	add := func(line int, format string, args ...any) {
		if out[line-1] == "" {
			out[line-1] = "-"
		}
		out[line-1] += " | " + fmt.Sprintf(format, args...)
	}
	for _, b := range s.Branches {
		if b.Kind == engine.BranchFor {
			add(b.Line, "some %d none %d", b.Yes, b.No)
		} else {
			add(b.Line, "true %d false %d", b.Yes, b.No)
		}
	}
	for _, f := range s.Functions {
		name := f.Name
		if name == "" {
			name = "anonymous"
		}
		add(f.Line, "calls %s %d", name, f.Hits)
	}
	return out
}
