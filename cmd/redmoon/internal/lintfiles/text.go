package lintfiles

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// widestExcerpt is how many characters of a line an excerpt shows.
const widestExcerpt = 160

// PrintText prints findings for people: place, severity, message, rule, and the line.
func PrintText(w io.Writer, results []Result, colour bool) error {
	var b strings.Builder
	for _, r := range results {
		if r.Fixed > 0 {
			fmt.Fprintf(&b, "%s: %s repaired\n", safe(r.Path), count(r.Fixed, "finding"))
		}
		t := luatree.NewTree(r.Source)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", safe(r.Path), f.Line, f.Column, paint(f.Severity, colour), safe(f.Message), f.Rule)
			excerpt(&b, t, f)
		}
	}
	b.WriteString(summary(results))
	_, err := io.WriteString(w, b.String())
	return err
}

// excerpt prints the line of a finding and marks its range. Of a long line it prints what is around
// the finding.
func excerpt(b *strings.Builder, t *luatree.Tree, f lint.Finding) {
	r := t.Line(f.Line)
	from := min(f.Range.From, r.To)
	to := min(max(f.Range.To, from+1), r.To)
	begin, dots := r.From, ""
	if r.To-r.From > widestExcerpt && from-r.From > widestExcerpt/2 {
		for begin = from - widestExcerpt/4; begin < from && !utf8.RuneStart(t.Source[begin]); {
			begin++
		}
		dots = "…"
	}
	end := min(r.To, begin+utf8.UTFMax*widestExcerpt)
	line := dots + safe(t.Source[begin:end])
	if utf8.RuneCountInString(line) > widestExcerpt {
		line = string([]rune(line)[:widestExcerpt-1]) + "…"
	}
	at := utf8.RuneCountInString(dots + safe(t.Source[begin:min(from, end)]))
	width := max(utf8.RuneCountInString(safe(t.Source[min(from, end):min(to, end)])), 1)
	fmt.Fprintf(b, "%6d | %s\n", f.Line, line)
	if at < widestExcerpt {
		fmt.Fprintf(b, "       | %s%s\n", strings.Repeat(" ", at), strings.Repeat("^", min(width, widestExcerpt-at)))
	}
}

// safe returns a text without control characters, so that no script controls the terminal. A tab
// becomes a space; invalid UTF-8 becomes the replacement character.
func safe(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t':
			return ' '
		case c < ' ' || c >= 0x7f && c < 0xa0:
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func paint(s lint.Severity, colour bool) string {
	if !colour {
		return s.String()
	}
	code := map[lint.Severity]string{lint.Error: "31", lint.Warning: "33", lint.Info: "36"}[s]
	return "\x1b[" + code + "m" + s.String() + "\x1b[0m"
}

// summary is the last line.
func summary(results []Result) string {
	n := map[lint.Severity]int{}
	total := 0
	for _, r := range results {
		for _, f := range r.Findings {
			n[f.Severity]++
			total++
		}
	}
	if total == 0 {
		return count(len(results), "script") + ", no findings\n"
	}
	return fmt.Sprintf("%s, %s: %d error, %d warning, %d info\n%s", count(len(results), "script"), count(total, "finding"),
		n[lint.Error], n[lint.Warning], n[lint.Info], repairs(results))
}

// repairs says how findings can be repaired.
func repairs(results []Result) string {
	safe, unsafe, single := 0, 0, 0
	for _, r := range results {
		for _, f := range r.Findings {
			switch {
			case f.Fix == nil:
			case f.Fix.OneByOne:
				single++
			case f.Fix.Safe:
				safe++
			default:
				unsafe++
			}
		}
	}
	var ways []string
	if safe > 0 {
		ways = append(ways, fmt.Sprintf("%d by --fix", safe))
	}
	if unsafe > 0 {
		ways = append(ways, fmt.Sprintf("%d by --fix --unsafe-fixes", unsafe))
	}
	if single > 0 {
		ways = append(ways, fmt.Sprintf("%d one by one, in an editor", single))
	}
	if len(ways) == 0 {
		return ""
	}
	return "repairs: " + strings.Join(ways, ", ") + "\n"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// PrintRules lists the rules, one a line.
func PrintRules(w io.Writer) error {
	var b strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "%-24s %-8s %s\n", r.ID, r.Severity, r.Summary)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
