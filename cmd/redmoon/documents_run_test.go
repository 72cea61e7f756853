package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/stretchr/testify/require"
)

var (
	tutorialFile = regexp.MustCompile("(?s)`([a-z_]+\\.lua)`[^`\n]*:\n\n```lua\n(.*?)```\n")
	tutorialRun  = regexp.MustCompile("(?s)```console\n\\$ (redmoon [^\n]*)\n(.*?)```\n")
	// debuggerPrompt is the prompt of a stopped script, behind which somebody types.
	debuggerPrompt = regexp.MustCompile(`^[a-z_]+\.lua:[0-9]+> `)
	duration       = regexp.MustCompile(`[0-9.]+(µs|ms|s)\b`)
)

// TestCommandsOfDocuments writes the files of documents, runs their commands, and compares
// what they print, except for durations.
func TestCommandsOfDocuments(t *testing.T) {
	for name, commands := range map[string]int{"tutorial.md": 6, "coverage.md": 1, "functions.md": 6} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
			require.NoError(t, err)
			runDocument(t, string(text), commands)
		})
	}
}

// The README lists the commands of the tutorial, in order.
func TestReadmeListsTheTutorial(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		require.NoError(t, err)
		return string(text)
	}
	at, readme := 0, read("README.md")
	for _, run := range tutorialRun.FindAllStringSubmatch(read("docs/tutorial.md"), -1) {
		command, _, _ := strings.Cut(run[1], " {")
		next := strings.Index(readme[at:], "| `"+command)
		require.GreaterOrEqual(t, next, 0, command)
		at += next
	}
}

// runDocument runs a document, which must have so many commands.
func runDocument(t *testing.T, text string, want int) {
	t.Chdir(t.TempDir())
	rest, commands := text, 0
	for {
		file, run := tutorialFile.FindStringSubmatchIndex(rest), tutorialRun.FindStringSubmatchIndex(rest)
		switch {
		case file == nil && run == nil:
			require.Equal(t, want, commands)
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

// typedLines separates what is typed at the prompt of a debugger from the rest of a block.
func typedLines(block string) (typed, rest string) {
	for line := range strings.Lines(block) {
		if at := debuggerPrompt.FindString(line); at != "" {
			typed += line[len(at):]
		} else {
			rest += line
		}
	}
	return typed, rest
}

// runTutorial runs a command and compares its output with that of the document.
func runTutorial(t *testing.T, line, block string) {
	words, ok := quoting.Words(line)
	require.True(t, ok, line)
	var out bytes.Buffer
	typed, block := typedLines(block)
	std := &streams{in: strings.NewReader(typed), out: &out, err: &out, interruptible: t.Context()}
	code := std.main(words[1:])
	require.Less(t, code, 2, "%s: %s", line, &out)
	plain := func(text string) string { return duration.ReplaceAllString(strings.TrimSpace(text), "TIME") }
	require.Equal(t, plain(block), plain(out.String()), line)
}
