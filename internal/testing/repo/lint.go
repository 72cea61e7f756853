package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Finding is a place that breaks a rule.
type Finding struct {
	File    string // relative to the root, with slashes
	Line    int    // from 1
	Rule    string // of [Words] or [Shapes], or "comment", "code" or "prose" for a width
	Message string
}

// String returns the finding as compilers write theirs.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Lint checks all Go files and Markdown documents below root.
func Lint(root string) ([]Finding, error) {
	files, err := Files(root, ".go", ".md")
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, name := range files {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		found, err := LintFile(name, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// LintFile checks one file, as Go if its name ends in .go and as Markdown otherwise.
func LintFile(name string, source []byte) ([]Finding, error) {
	lines := MarkdownLines(source)
	if strings.HasSuffix(name, ".go") {
		if IsGenerated(source) {
			return nil, nil
		}
		var err error
		if lines, err = GoLines(source); err != nil {
			return nil, err
		}
	}
	var found []Finding
	add := func(l Line, rule, message string) {
		found = append(found, Finding{File: name, Line: l.Number, Rule: rule, Message: message})
	}
	for i, l := range lines {
		switch width := Width(l.Text); {
		case l.Kind == Comment && width > MaxProse:
			add(l, "comment", fmt.Sprintf("the comment line has %d characters, at most %d are allowed", width, MaxProse))
		case l.Kind == Code && width > MaxCode:
			add(l, "code", fmt.Sprintf("the line has %d characters, at most %d are allowed", width, MaxCode))
		case l.Kind == Prose && width > MaxProse && !IsGenerated(source):
			add(l, "prose", fmt.Sprintf("the line has %d characters, at most %d are allowed", width, MaxProse))
		}
		if l.Kind == Code || l.Kind == Literal {
			continue
		}
		text := l.Text
		switch l.Kind {
		case Prose, Table:
			text = plain(text)
		case Name:
			text = camelWords(text)
		}
		for _, w := range Words() {
			if l.Kind == Name && !w.Names {
				continue
			}
			for range w.count(text, next(lines, i)) {
				add(l, w.Word, fmt.Sprintf("%q in %q: write %s", w.Word, strings.TrimSpace(l.Text), w.Instead))
			}
		}
	}
	return append(found, misread(name, lines)...), nil
}

// next is the first word of the line of prose that continues line i, so that an expression broken
// by a line end is found.
func next(lines []Line, i int) string {
	if lines[i].Kind != Comment && lines[i].Kind != Prose || i+1 >= len(lines) || lines[i+1].Kind != lines[i].Kind {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimLeft(lines[i+1].Text, "/ \t"), " ")
	return word
}

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// camelWords puts blanks between the words of an identifier.
func camelWords(name string) string {
	return strings.ReplaceAll(camel.ReplaceAllString(name, "$1 $2"), "_", " ")
}

// Counts returns how often each rule is broken below root.
func Counts(root string) (map[string]int, error) {
	all, err := Lint(root)
	counts := map[string]int{}
	for _, f := range all {
		counts[f.Rule]++
	}
	return counts, err
}
