package lint

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate go test -run TestDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/lint.md again")

// TestDocument checks that docs/lint.md is what the rules give.
func TestDocument(t *testing.T) {
	const path = "../../docs/lint.md"
	want := document()
	if *writeDocument {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go generate ./internal/lint writes it again")
}

func document() string {
	var b strings.Builder
	b.WriteString(documentBegin)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Summary)
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n%s\n", r.ID, upperFirst(r.Severity.String()), r.Summary, wrap(r.Why))
		example(&b, "Bad", r.Bad)
		example(&b, "Good", r.Good)
	}
	return b.String()
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func example(b *strings.Builder, what string, e Example) {
	if len(e.Script) > 500 {
		return
	}
	if e.Redis != "" {
		what += ", with `--redis " + e.Redis + "`"
	}
	fmt.Fprintf(b, "\n%s:\n\n```lua\n%s\n```\n", what, e.Script)
	if e.Beside != "" {
		fmt.Fprintf(b, "\nand beside it:\n\n```lua\n%s\n```\n", e.Beside)
	}
}

// wrap breaks prose into lines of at most 100 characters.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
		case width+1+len([]rune(word)) > 100:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len([]rune(word))
	}
	return b.String()
}

const documentBegin = `# redmoon lint

` + "`redmoon lint`" + ` finds mistakes in Lua scripts for Redis without running them:

    redmoon lint                     # all *.lua below this folder, without tests (*_test.lua)
    redmoon lint lock.lua scripts    # files and folders
    redmoon lint --redis 6.2         # for an older server
    redmoon lint --level warning     # without infos
    redmoon lint --fix               # repairs what does not change what a script does
    redmoon lint --fix --unsafe-fixes     # also comparisons that always fail or never hold
    redmoon lint --format sarif      # text, json, sarif or github
    redmoon lint - < lock.lua        # standard input

It compiles each script as Redis does; a script that does not compile gives one finding with Redis's
own error text. The exit code is 0 without findings, 1 with findings, or 2 if an argument is wrong
or a file cannot be read; the other files are then linted all the same. Links below a folder are not
followed.

A finding is an error if the place fails, or never does what it says; a warning if it is probably a
mistake; an info if it works today but is fragile. The rules speak only of what they can follow: a
key that comes from an unknown function gives no finding.

A mistake that is repeated is reported at its first place: the same missing global, the same key.

## Turning rules off

A comment turns rules off for its line, for the line behind it, or for the file. Without names it is
about all rules. What follows two dashes is the reason:

    redis.call('DEL', prefix .. id) -- redmoon:disable built-key -- the caller passes the prefix
    -- redmoon:disable-next-line built-key, unbounded-read
    -- redmoon:disable-file shadowing

A comment that turns off what is not there is a finding itself (` + "`bad-directive`" + `).

## .redmoonlint

The nearest file ` + "`.redmoonlint`" + ` in the folder of a script, or above, configures the linter.
` + "`--config FILE`" + ` names another one. It is JSON, and every field is optional:

` + "```json" + `
{
  "redis": "6.2",
  "severities": {"shadowing": "off", "built-key": "info"},
  "globals": ["prelude"],
  "join": [{"files": ["stock/*.lua"], "before": ["stock/common.lua"]}],
  "exclude": ["vendor"]
}
` + "```" + `

| field | effect |
|---|---|
| ` + "`redis`" + ` | oldest version that the scripts must run on, 2.6 to 8.0; default 7.0. ` + "`--redis`" + ` overrides it |
| ` + "`severities`" + ` | another severity for a rule: off, info, warning, error |
| ` + "`globals`" + ` | names that something else puts in front of the scripts |
| ` + "`join`" + ` | files that a program puts in front of others to make one script; the first entry that matches counts |
| ` + "`exclude`" + ` | files and folders that are not read, unless the command line names the file |

Patterns are those of Go's path.Match, relative to the folder of the configuration. Folders whose
names begin with a dot, and node_modules, are not entered.

## Headers

If the comments of a script name its keys and arguments, an index beyond them is reported. Both
forms count:

    --   KEYS    1 lock  2 state
    --   ARGV    1 owner  2 time to live in ms

    -- KEYS[1]: lock
    -- KEYS[2]: state

A header that leaves the number open (` + "`2... serials`" + `) is not checked.

## Keys at run time

The linter sees only keys that it can follow. With strict keys, an engine checks every command of a
script while it runs: a key that is not in KEYS is an error that names the key, or a warning in the
log.

    redmoon run --strict-keys claim.lua stock , ann
    redmoon serve --strict-keys=warn

In ` + "`" + `go test` + "`" + `, ` + "`" + `redmoontest.WithStrictKeys()` + "`" + ` does so for one engine, and in a program
` + "`" + `engine.Options.StrictKeys` + "`" + `. The keys of a command are those of COMMAND GETKEYS; the patterns of
` + "`" + `SORT BY` + "`" + ` and ` + "`" + `SORT GET` + "`" + ` count as keys that are not in KEYS.

## Rules

| rule | severity | finds |
|---|---|---|
`
