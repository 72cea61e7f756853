package repl

import (
	"errors"
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// Editor reads lines from a terminal. It shows the arguments that may follow behind the cursor, in grey.
type Editor struct {
	shell    *readline.Shell
	history  *History
	commands engine.Commands // those that are completed
	prompt   string
}

// NewEditor returns an Editor on the process's terminal that knows commands.
func NewEditor(h *History, commands engine.Commands) *Editor {
	e := &Editor{shell: readline.NewShell(), history: h, commands: commands}
	e.shell.Prompt.Primary(func() string { return e.prompt })
	e.shell.AcceptMultiline = func([]rune) bool { return true }
	e.shell.Completer = e.complete
	e.shell.SyntaxHighlighter = e.withHint
	e.shell.History.Add("redmoon", (*source)(h))
	return e
}

// ReadLine implements [Reader].
func (e *Editor) ReadLine(prompt string) (string, error) {
	e.prompt = prompt
	line, err := e.shell.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupt
	case err != nil:
		return "", err
	}
	return line, nil
}

func (e *Editor) complete(line []rune, cursor int) readline.Completions {
	return readline.CompleteValues(Complete(e.commands, string(line[:min(cursor, len(line))]))...)
}

// withHint adds the hint behind a line, cut so that it never reaches the next row.
func (e *Editor) withHint(line []rune) string {
	text := string(line)
	hint := Hint(e.commands, text)
	width, _, err := term.GetSize(1)
	if room := width - len(e.prompt) - len(line) - 1; err != nil || room <= 0 {
		hint = ""
	} else if len(hint) > room {
		hint = hint[:room]
	}
	if strings.TrimSpace(hint) == "" {
		return text
	}
	return text + "\x1b[90m" + hint + "\x1b[0m"
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
