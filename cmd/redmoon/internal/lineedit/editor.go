package lineedit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// Editor reads lines from a terminal. It shows a hint after the cursor in grey.
type Editor struct {
	shell   *readline.Shell
	history *History
	colour  bool
	a       Assistant // of the current line
	news    string    // text to show above the prompt
}

// newsKeys is a key sequence that no keyboard sends. It is bound to the command that shows news.
const newsKeys = "\x1b[200;200;200~"

// NewEditor returns an Editor on the terminal of this process.
func NewEditor(h *History, colour bool) *Editor {
	e := &Editor{shell: readline.NewShell(), history: h, colour: colour}
	e.shell.Prompt.Primary(func() string { return e.a.Prompt() })
	e.shell.Prompt.Secondary(func() string { return "" })
	e.shell.AcceptMultiline = func(line []rune) bool { return e.a.Finished(string(line)) }
	e.shell.Completer = e.complete
	e.shell.SyntaxHighlighter = e.draw
	e.shell.History.Add("redmoon", (*historySource)(h))
	_ = e.shell.Config.Set("menu-complete-display-prefix", true) // never fails
	for _, keymap := range []string{"emacs", "vi-insert"} {
		_ = e.shell.Config.Bind(keymap, "\t", "menu-complete", false)
	}
	// If the editor asks the terminal for the position of the cursor, it loses keys that are typed
	// before the answer. The position is not needed, because all output here ends with a line
	// break. There must only be room below; see makeRoom.
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

// Wake implements [Reader]. The editor looks for news when it draws the line.
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

// draw adds colours and the hint to a line. The hint is cut at the end of the row. draw runs on the
// goroutine of ReadLine whenever the line is drawn. It feeds newsKeys to the editor if there is
// news.
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

// makeRoom scrolls the terminal if there are fewer rows below the cursor than the line needs, plus
// one. The cursor stays at its position in the text.
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

// showNews writes the news in the row of the prompt, and the prompt below it.
func (e *Editor) showNews() {
	text := strings.TrimSuffix(e.news, "\n")
	e.news = ""
	_, _ = e.shell.PrintTransientf("%s", strings.ReplaceAll(text, "\n", "\r\n"))
}

// historySource makes a History available to the line editor.
type historySource History

func (s *historySource) Write(line string) (int, error) {
	h := (*History)(s)
	h.Add(line)
	return len(s.lines), h.Save() // now, because the process may be killed
}

func (s *historySource) GetLine(i int) (string, error) {
	if i < 0 || i >= len(s.lines) {
		return "", io.EOF
	}
	return s.lines[i], nil
}

func (s *historySource) Len() int { return len(s.lines) }

func (s *historySource) Dump() any { return s.lines }
