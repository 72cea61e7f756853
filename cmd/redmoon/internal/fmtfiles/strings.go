package fmtfiles

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// formatProgram formats the scripts in the strings of a program, and changes nothing else. What the
// program changes before it sends it stays as it is, and so does a script with holes that does not
// compile.
func formatProgram(path, source string, o luafmt.Options) (string, error) {
	for i := 0; ; i++ {
		list, err := embedded.Find(path, source, embedded.Rules())
		if err != nil {
			return "", err
		}
		if i >= len(list) {
			return source, nil
		}
		s := &list[i]
		if s.Changed {
			continue
		}
		text, err := formatString(s.Text, o)
		if err == nil {
			text, err = s.Replace(text)
		} else if len(s.Holes) > 0 {
			continue
		}
		if err != nil {
			line, _ := s.Line(s.From)
			return "", fmt.Errorf("line %d: %w", line, err)
		}
		source = text
	}
}

// formatString formats a script and keeps its margin, and the white space before and behind it.
func formatString(text string, o luafmt.Options) (string, error) {
	core := strings.Trim(text, " \t\r\n")
	if core == "" {
		return text, nil
	}
	at := strings.Index(text, core)
	lead, tail := text[:at], text[at+len(core):]
	margin := commonMargin(core)
	if first := lead[strings.LastIndexByte(lead, '\n')+1:]; strings.Contains(lead, "\n") && (margin == "" || len(first) < len(margin)) {
		margin = first
	}
	formatted, err := luafmt.Format(core+"\n", o)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(formatted, "\n"), "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = margin + lines[i]
		}
	}
	after := lead + strings.Join(lines, "\n") + tail
	if !luatext.SameCode(text, after) {
		return text, nil // a text of several lines would have another margin
	}
	return after, nil
}

// commonMargin returns the white space with which all lines but the first begin, if they are not
// empty.
func commonMargin(text string) string {
	margin, found := "", false
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, " \t")
		if i == 0 || strings.TrimRight(rest, "\r") == "" {
			continue
		}
		own := line[:len(line)-len(rest)]
		if !found {
			margin, found = own, true
		}
		for !strings.HasPrefix(own, margin) {
			margin = margin[:len(margin)-1]
		}
	}
	return margin
}
