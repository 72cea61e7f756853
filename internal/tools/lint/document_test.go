package lint

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/document"
)

//go:generate go test -run TestDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/lint.md again")

// TestDocument checks that docs/lint.md has the rules. People write what stands before them.
func TestDocument(t *testing.T) {
	document.Check(t, "../../../docs/lint.md", "go generate ./internal/tools/lint", *writeDocument, withRules)
}

func withRules(old string) string {
	const table = "\n## Rules\n\n| rule | severity | finds |\n|---|---|---|\n"
	begin, _, _ := strings.Cut(old, table)
	var b strings.Builder
	b.WriteString(begin + table)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Summary)
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n%s\n", r.ID, upperFirst(r.Severity.String()), r.Summary, wrap(r.Why))
		example(&b, "Bad", r.Bad)
		example(&b, "Good", r.Good)
	}
	b.WriteString("\nNext: [format scripts](fmt.md)\n")
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
	if len(e.Servers) > 0 {
		what += ", with `--server " + strings.Join(e.Servers, ",") + "`"
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
