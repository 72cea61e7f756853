package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// Editor reads lines from a terminal. It shows what may follow behind the cursor, in grey.
type Editor struct {
	shell   *readline.Shell
	history *History
	colour  bool
	a       Assistant // of the present line
	news    string    // to be shown above the prompt
}

// newsKeys is what no key sends; it is bound to what shows news.
const newsKeys = "\x1b[200;200;200~"

// NewEditor returns an Editor on the process's terminal.
func NewEditor(h *History, colour bool) *Editor {
	e := &Editor{shell: readline.NewShell(), history: h, colour: colour}
	e.shell.Prompt.Primary(func() string { return e.a.Prompt() })
	e.shell.Prompt.Secondary(func() string { return "" })
	e.shell.AcceptMultiline = func(line []rune) bool { return e.a.Finished(string(line)) }
	e.shell.Completer = e.complete
	e.shell.SyntaxHighlighter = e.draw
	e.shell.History.Add("redmoon", (*source)(h))
	_ = e.shell.Config.Set("menu-complete-display-prefix", true) // never fails
	for _, keymap := range []string{"emacs", "vi-insert"} {
		_ = e.shell.Config.Bind(keymap, "\t", "menu-complete", false)
	}
	// Asking the terminal where the cursor is loses keys that are typed before it answers. All that is printed here ends with its line, so that
	// only room below must be seen to.
	_ = e.shell.Config.Set("cursor-position-probe", false)
	e.shell.Keymap.Register(map[string]func(){"redmoon-news": e.showNews})
	for _, keymap := range []string{"emacs", "emacs-standard", "vi", "vi-insert", "vi-command", "vi-move"} {
		_ = e.shell.Config.Bind(keymap, newsKeys, "redmoon-news", false) // never fails
	}
	return e
}

// ReadLine implements [Reader].
func (e *Editor) ReadLine(a Assistant) (string, error) {
	e.a = a
	line, err := e.shell.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupt
	case err != nil:
		return "", err
	}
	return line, nil
}

// Wake implements [Reader]. The editor looks for news when it draws the line; see draw.
func (e *Editor) Wake() { e.shell.Keys.RequestRefresh() }

func (e *Editor) complete(line []rune, cursor int) readline.Completions {
	candidates, prefix := e.a.Complete(string(line[:min(cursor, len(line))]))
	words := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		words = append(words, c.Value, c.Help)
	}
	all := readline.CompleteValuesDescribed(words...)
	all.PREFIX = prefix
	return all
}

// draw adds colours and the hint behind a line, cut so that it never reaches the next row. It is called on the goroutine of ReadLine whenever the
// line is drawn; news that have come meanwhile are fed to the editor as a key.
func (e *Editor) draw(line []rune) string {
	if e.news == "" {
		if e.news = e.a.News(); e.news != "" {
			e.shell.Keys.Feed(true, []rune(newsKeys)...)
		}
	}
	text := string(line)
	width, height, err := term.GetSize(1)
	if err != nil {
		return text
	}
	e.makeRoom(text, width, height)
	drawn := e.a.Colour(text)
	if !e.colour || strings.Contains(text, "\n") {
		return drawn
	}
	hint := e.a.Hint(text)
	if room := width - len(e.a.Prompt()) - len(line) - 1; room <= 0 {
		hint = ""
	} else if len(hint) > room {
		hint = hint[:room]
	}
	if strings.TrimSpace(hint) == "" {
		return drawn
	}
	return drawn + "\x1b[90m" + hint + "\x1b[0m"
}

// makeRoom scrolls where there are fewer rows below the cursor than the line will need, and one. The cursor stays where it is on the text.
func (e *Editor) makeRoom(text string, width, height int) {
	indent, rows := len(e.a.Prompt()), 1
	for _, line := range strings.Split(text, "\n") {
		rows += 1 + (indent+len(line))/max(width, 1)
	}
	rows = min(rows-1, height-1)
	if rows > 0 {
		fmt.Fprintf(os.Stdout, "%s\x1b[%dA", strings.Repeat("\x1bD", rows), rows)
	}
}

// showNews writes the news where the line is, and the line below them.
func (e *Editor) showNews() {
	text := strings.TrimSuffix(e.news, "\n")
	e.news = ""
	_, _ = e.shell.PrintTransientf("%s", strings.ReplaceAll(text, "\n", "\r\n"))
}

// source shows a History to the line editor.
type source History

func (s *source) Write(line string) (int, error) {
	h := (*History)(s)
	h.Add(line)
	return len(s.lines), h.Save() // now, for the process may be killed
}

func (s *source) GetLine(i int) (string, error) {
	if i < 0 || i >= len(s.lines) {
		return "", io.EOF
	}
	return s.lines[i], nil
}

func (s *source) Len() int { return len(s.lines) }

func (s *source) Dump() any { return s.lines }
