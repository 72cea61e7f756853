package assist

import (
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Edit replaces a part of a script.
type Edit struct {
	Range Range
	Text  string
}

const disableNext = "redmoon:disable-next-line"

// DisableLine returns the edit that turns a rule off for the line of an offset: a comment on a line
// before it, or the rule added to the comment that is there. ok is false if no comment can stand
// there.
func (d *Document) DisableLine(at int, rule string) (e Edit, ok bool) {
	d.begin()
	defer d.end()
	start := lineStart(d.Text, at)
	indent := d.Text[start:]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	if i := d.tokensBefore(start); i > 0 {
		if t := d.tokens[i-1]; t.To > start || t.Kind == luatree.InvalidToken && t.To >= start-1 {
			return Edit{}, false // the line begins in a long string
		} else if t.Kind == luatree.CommentToken && lineStart(d.Text, t.From) == lineStart(d.Text, max(start-1, 0)) {
			text := d.Text[t.From:t.To]
			if head, reason, _ := strings.Cut(strings.TrimPrefix(text, "--"), "--"); strings.HasPrefix(strings.TrimSpace(head), disableNext) {
				to := t.To
				if reason != "" {
					to = t.From + len("--") + len(strings.TrimRight(head, " "))
				}
				separator := ", "
				if strings.TrimSpace(head) == disableNext {
					separator = " "
				}
				return Edit{Range{From: to, To: to}, separator + rule}, true
			}
		}
	}
	if start == 0 && strings.HasPrefix(d.Text, "#!") {
		return Edit{}, false
	}
	return Edit{Range{From: start, To: start}, indent + "-- " + disableNext + " " + rule + lineBreak(d.Text)}, true
}

// DisableFile returns the edit that turns a rule off in the whole script.
func (d *Document) DisableFile(rule string) Edit {
	at := 0
	if strings.HasPrefix(d.Text, "#!") {
		if at = strings.IndexByte(d.Text, '\n') + 1; at == 0 {
			return Edit{Range{From: len(d.Text), To: len(d.Text)}, "\n-- redmoon:disable-file " + rule + "\n"}
		}
	}
	return Edit{Range{From: at, To: at}, "-- redmoon:disable-file " + rule + lineBreak(d.Text)}
}

// lineStart returns the beginning of the line around an offset.
func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:min(at, len(text))], "\n\r") + 1
}

// lineBreak returns the line break of a text.
func lineBreak(text string) string {
	if n := strings.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
