package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/cmdline"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/stretchr/testify/require"
)

// TestCommandLinesInDocuments checks the command lines of redmoon in README.md and docs: a line of
// a code block must be a valid command line, and a command in running text must have all its flags.
func TestCommandLinesInDocuments(t *testing.T) {
	root := filepath.Join("..", "..")
	files := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	}))
	lines, mentions := 0, 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		for _, line := range commandLines(string(text)) {
			lines++
			require.NoError(t, parseCommandLine(line), "%s: %s", path, line)
		}
		for _, m := range commandMentions(string(text)) {
			mentions++
			require.NoError(t, checkMention(m), "%s: %s", path, m)
		}
	}
	require.Greater(t, lines, 5)
	require.Greater(t, mentions, 20)
}

// TestServersForTestsKeepNoFile: where a document sends somebody who tests or debugs to redmoon
// serve, the command has --save "". Without it the server leaves dump.rdb in the folder, which may
// be a repository, and the next test begins with its keys.
func TestServersForTestsKeepNoFile(t *testing.T) {
	found := 0
	for _, name := range []string{"README.md", "docs/coverage.md", "docs/debugging.md", "docs/editors.md", "docs/from-miniredis.md",
		"docs/lint.md", "docs/record.md", "docs/test.md", "docs/test-go.md", "docs/tutorial.md",
		"editors/vscode/README.md", "examples/redpacketrain/README.md"} {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		require.NoError(t, err)
		for _, line := range append(commandLines(string(b)), commandMentions(string(b))...) {
			args, ok := strings.CutPrefix(line, "redmoon serve ")
			if !ok || strings.HasPrefix(args, "redis.conf") || name == "README.md" && strings.HasPrefix(args, "--on-script-error") {
				continue // a server that keeps its data
			}
			if generated := name == "docs/editors.md" && args == "--dap"; generated {
				continue // the table of attributes names the flag
			}
			found++
			require.Contains(t, args, `--save ""`, "%s: %s", name, line)
		}
	}
	require.Greater(t, found, 5)
}

func TestWrongCommandLinesAreFound(t *testing.T) {
	text := "Text\n\n    redmoon nosuch a.lua\n    printf 'c\\n' | redmoon debug --nosuch a.lua # what\n" +
		"```sh\ngo run ./cmd/redmoon grab --packets many\n```\n`redmoon serve --no\nsuch`, `redmoon what` and\n\n" +
		"| `redmoon dap` | has `--nosuch` |\n"
	lines := commandLines(text)
	require.Equal(t, []string{"redmoon nosuch a.lua", "redmoon debug --nosuch a.lua", "redmoon grab --packets many"}, lines)
	for _, line := range lines {
		require.Error(t, parseCommandLine(line), line)
	}
	mentions := commandMentions(text)
	require.Equal(t, []string{"redmoon serve --no such", "redmoon what", "redmoon dap", "redmoon dap --nosuch"}, mentions)
	for i, m := range mentions {
		require.Equal(t, i != 2, checkMention(m) != nil, m)
	}
}

var fence = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")

// commandLines returns the command lines of redmoon in the code blocks of a document.
func commandLines(text string) (found []string) {
	code := strings.Builder{}
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		code.WriteString(block[1])
	}
	all := []string{}
	for _, line := range strings.Split(fence.ReplaceAllString(text, ""), "\n") {
		if indented, ok := strings.CutPrefix(line, "    "); ok {
			all = append(all, indented)
		}
	}
	for _, line := range append(all, strings.Split(code.String(), "\n")...) {
		line, _, _ = strings.Cut(line, " # ")
		for _, part := range strings.Split(line, " | ") {
			part = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "$ "))
			if args, ok := strings.CutPrefix(part, "go run ./cmd/redmoon"); ok {
				part = "redmoon" + args
			}
			if strings.HasPrefix(part, "redmoon ") {
				found = append(found, strings.TrimSpace(strings.TrimSuffix(part, "&")))
			}
		}
	}
	return found
}

var span = regexp.MustCompile("`[^`]+`")

// commandMentions returns the commands of redmoon in running text. In a row of a table that begins
// with a command, other spans that begin with a flag belong to that command.
func commandMentions(text string) (found []string) {
	text = fence.ReplaceAllString(text, "")
	for _, paragraph := range strings.Split(text, "\n\n") {
		for _, part := range rows(paragraph) {
			inRow := strings.HasPrefix(part, "| `redmoon ")
			command := ""
			for _, s := range span.FindAllString(part, -1) {
				s = strings.Join(strings.Fields(strings.Trim(s, "`")), " ")
				switch {
				case strings.HasPrefix(s, "redmoon "):
					found = append(found, s)
					if command == "" {
						command = strings.Join(strings.Fields(s)[:2], " ")
					}
				case inRow && strings.HasPrefix(s, "--"):
					found = append(found, command+" "+s)
				}
			}
		}
	}
	return found
}

// rows splits a table into its rows. Another paragraph is one part.
func rows(paragraph string) []string {
	if strings.HasPrefix(strings.TrimSpace(paragraph), "|") {
		return strings.Split(paragraph, "\n")
	}
	return []string{paragraph}
}

func newTestParser() *kong.Kong {
	return newParser(&streams{out: io.Discard, err: io.Discard}, func(int) {})
}

// parseCommandLine parses a whole command line.
func parseCommandLine(line string) error {
	words, ok := quoting.Words(line)
	if !ok {
		return errors.New("unbalanced quotes")
	}
	args := words[1:]
	if args[0] == "serve" {
		for _, w := range args[1:] {
			if err := checkMention("redmoon serve " + w); err != nil {
				return err
			}
		}
		args = append([]string{"serve"}, joined(cmdline.Parse(args[1:], (&streams{out: io.Discard, err: io.Discard}).ownFlags()).Own)...)
	}
	_, err := newTestParser().Parse(args)
	return err
}

// checkMention checks the command and the flags of a command in running text, which may lack
// arguments.
func checkMention(text string) error {
	words := strings.Fields(text)[1:]
	if strings.HasPrefix(words[0], "--") {
		return nil
	}
	nodes := newTestParser().Model.Children
	i := slices.IndexFunc(nodes, func(n *kong.Node) bool { return n.Name == words[0] })
	if i < 0 {
		return fmt.Errorf("unknown command %s", words[0])
	}
	known := map[string]bool{"help": true}
	for _, group := range nodes[i].AllFlags(false) {
		for _, flag := range group {
			known[flag.Name] = true
		}
	}
	if words[0] == "serve" {
		for _, r := range config.Rows() { // the directives are flags, too
			known[r.Name] = true
		}
	}
	for _, w := range words[1:] {
		name, isFlag := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && !known[name] {
			return fmt.Errorf("unknown flag --%s", name)
		}
	}
	return nil
}
