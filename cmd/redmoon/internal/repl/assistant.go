package repl

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// assistant implements [lineedit.Assistant] for a dialogue.
type assistant dialogue

// Prompt implements [lineedit.Assistant].
func (a *assistant) Prompt() string {
	d := (*dialogue)(a)
	if d.scripts.current == nil {
		return d.state.prompt(d.backend.Name())
	}
	text := fmt.Sprintf("%s:%d", d.scripts.current.name, d.scripts.current.at.Line)
	if d.scripts.current.frame > 0 {
		text += fmt.Sprintf(" #%d", d.scripts.current.frame)
	}
	return text + "> "
}

// News implements [lineedit.Assistant].
func (a *assistant) News() string {
	d := (*dialogue)(a)
	list := d.events.take()
	if len(list) == 0 {
		return ""
	}
	var shown bytes.Buffer
	defer func(out io.Writer) { d.out = out }(d.out)
	d.out = &shown
	for _, l := range list {
		d.player.handleOtherEvent(l)
	}
	return shown.String()
}

// Finished implements [lineedit.Assistant]. Incomplete Lua continues until an empty line. After a
// separate :lua, Lua continues to an empty line even if it is complete, and to two empty lines if
// it is incomplete.
func (a *assistant) Finished(line string) bool {
	code, ok := luaOf(line)
	if !ok {
		return true
	}
	d := (*dialogue)(a)
	trimmed := strings.TrimRight(line, " \t\n")
	empty := strings.Count(line[len(trimmed):], "\n") // number of line breaks at the end
	if strings.TrimSpace(code) == "" {
		return empty > 1
	}
	if first, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), "\n"); strings.TrimSpace(first) == ":lua" {
		return empty > 1 || empty == 1 && !d.syntax.open(code)
	}
	return empty > 0 || !d.syntax.open(code)
}

// luaOf returns the Lua in a line that begins with "=" or ":lua".
func luaOf(line string) (code string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if code, ok := strings.CutPrefix(line, "="); ok {
		return code, strings.TrimSpace(code) != ""
	}
	word, rest := cutWord(line)
	if word == ":lua" {
		return rest, true
	}
	return "", false
}

// Colour implements [lineedit.Assistant].
func (a *assistant) Colour(line string) string {
	d := (*dialogue)(a)
	if !d.palette {
		return line
	}
	code, ok := luaOf(line)
	if !ok || !strings.HasSuffix(line, code) {
		return line
	}
	return line[:len(line)-len(code)] + d.palette.highlight(code)
}

// Hint implements [lineedit.Assistant]. It returns the arguments that may follow.
func (a *assistant) Hint(line string) string {
	d := (*dialogue)(a)
	own, ok := strings.CutPrefix(line, ":")
	if !ok {
		return Hint(d.Commands, line)
	}
	word, rest := cutWord(own)
	c, err := find(d.commands, word)
	if err != nil || rest != "" || c.args == "" {
		return ""
	}
	if strings.HasSuffix(line, " ") {
		return c.args
	}
	return " " + c.args
}
