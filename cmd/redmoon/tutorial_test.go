package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/quoting"
	"github.com/stretchr/testify/require"
)

var (
	tutorialFile = regexp.MustCompile("(?s)`([a-z_]+\\.lua)`[^`\n]*:\n\n```lua\n(.*?)```\n")
	tutorialRun  = regexp.MustCompile(`(?m)^    \$ (redmoon .*)\n((?:(?:    .*)?\n)*)`)
	duration     = regexp.MustCompile(`[0-9.]+(µs|ms|s)\b`)
)

// TestTutorial writes the files of docs/tutorial.md, runs its commands, and compares what they
// print, except for durations. Of a command without output in the document only the run counts.
func TestTutorial(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	rest, commands := string(text), 0
	for {
		file, run := tutorialFile.FindStringSubmatchIndex(rest), tutorialRun.FindStringSubmatchIndex(rest)
		switch {
		case file == nil && run == nil:
			require.Equal(t, 5, commands)
			return
		case run == nil || file != nil && file[0] < run[0]:
			require.NoError(t, os.WriteFile(rest[file[2]:file[3]], []byte(rest[file[4]:file[5]]), 0o644))
			rest = rest[file[1]:]
		default:
			commands++
			runTutorial(t, rest[run[2]:run[3]], rest[run[4]:run[5]])
			rest = rest[run[1]:]
		}
	}
}

// runTutorial runs a command and compares its output with an indented block.
func runTutorial(t *testing.T, line, block string) {
	words, ok := quoting.Words(line)
	require.True(t, ok, line)
	var out bytes.Buffer
	std := &streams{in: strings.NewReader(""), out: &out, err: &out, interruptible: t.Context()}
	code := std.main(words[1:])
	require.Less(t, code, 2, "%s: %s", line, &out)
	want := strings.TrimRight(strings.ReplaceAll("\n"+block, "\n    ", "\n"), "\n ")
	if strings.TrimSpace(want) == "" {
		require.Zero(t, code, "%s: %s", line, &out)
		return
	}
	plain := func(text string) string { return duration.ReplaceAllString(strings.TrimSpace(text), "TIME") }
	require.Equal(t, plain(want), plain(out.String()), line)
}
