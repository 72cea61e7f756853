package report

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// problem shows an error of a test.
func (t *Text) problem(p luatest.Problem) {
	if len(p.On) > 0 {
		t.printf("    %s\n", t.paint(yellow, "on "+strings.Join(p.On, ", ")+":"))
	}
	if p.Phase != "test" && p.Phase != "file" { // the name of the result says that
		t.printf("    %s\n", t.paint(faint, "in "+p.Phase+":"))
	}
	if f := p.Failure; f != nil {
		if f.Note != "" {
			t.printf("%s", indent(t.paint(bold, f.Note), "    "))
		}
		t.printf("%s", indent(f.Message, "    "))
		if f.Expected != "" {
			t.printf("      expected: %s\n         found: %s\n", t.paint(green, f.Expected), t.paint(red, f.Found))
		}
		if len(f.Diff) > 0 {
			t.printf("    %s   %s\n", t.paint(green, "- expected"), t.paint(red, "+ found"))
		}
		for _, line := range f.Diff {
			colour := map[byte]string{'-': green, '+': red, '.': faint}[line.Mark]
			text := strings.TrimRight("    "+line.String(), " ")
			if colour != "" {
				text = t.paint(colour, text)
			}
			t.printf("%s\n", text)
		}
		if f.Hint != "" {
			t.printf("    %s\n", t.paint(cyan, f.Hint))
		}
	} else {
		t.printf("%s", indent(p.Message, "    "))
	}
	if p.Excerpt != "" {
		t.printf("\n%s", t.excerpt(p.Excerpt))
	}
	if lua := luaFrames(p); lua > 1 {
		t.printf("\n    traceback:\n")
		for _, l := range p.Trace {
			t.printf("      %s\n", t.paint(faint, l.String()))
		}
	}
	t.script(p.Script, p.Message)
}

// luaFrames counts the Lua functions of a traceback. If there is one, the excerpt shows all.
func luaFrames(p luatest.Problem) (n int) {
	for _, l := range p.Trace {
		if l.Chunk != "" || l.Left > 0 {
			n++
		}
	}
	return n
}

// excerpt shows lines of a file; the one with an arrow stands out.
func (t *Text) excerpt(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		colour := faint
		if strings.HasPrefix(line, ">") {
			colour = bold
		}
		b.WriteString("    " + t.paint(colour, line) + "\n")
	}
	return b.String()
}

// script shows the last run of a script. Its error is not shown if it is the message of the
// problem.
func (t *Text) script(s *luatest.Script, message string) {
	if s == nil {
		return
	}
	t.printf("\n    the last script: %s\n", s.Label)
	if calls, _ := harness.Called(s.Commands); calls != "" {
		t.printf("%s", indent(strings.TrimSuffix(calls, "\n"), "    "))
	}
	if s.Error == "" {
		return
	}
	if s.Error != message {
		t.printf("      %s\n", t.paint(red, "(error) "+s.Error))
	}
	if s.Stays {
		t.printf("    %s\n", harness.Stays)
	}
	if s.Excerpt != "" {
		t.printf("\n%s", t.excerpt(s.Excerpt))
	}
}

// Plain returns a problem as text without colours.
func Plain(p luatest.Problem) string {
	var b strings.Builder
	t := NewText(&b)
	t.problem(p)
	return strings.TrimRight(unindent(b.String()), "\n")
}

func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "    ")
	}
	return strings.Join(lines, "\n")
}

// where returns the position of a problem, or "".
func where(p luatest.Problem) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// summary returns the first line of a problem.
func summary(p luatest.Problem) string {
	text := p.Message
	if p.Failure != nil && p.Failure.Note != "" {
		text = p.Failure.Note
	}
	line, _, _ := strings.Cut(text, "\n")
	if len(p.On) > 0 {
		line = "on " + strings.Join(p.On, ", ") + ": " + line
	}
	return line
}
