package repl

import (
	"fmt"
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// printer prints what the user sees.
type printer struct {
	out      io.Writer
	palette  palette
	format   func(b []byte, args []string, v engine.Value) []byte // Options.Print
	commands []command
	buf      []byte
	failed   bool // an error has been printed
}

// showError prints an error.
func (p *printer) showError(text string) {
	p.failed = true
	p.say(p.palette.lines(p.palette.bad, text))
}

// say prints a line.
func (p *printer) say(text string) { fmt.Fprintln(p.out, text) }

// sayf prints a formatted line.
func (p *printer) sayf(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// show prints a reply.
func (p *printer) show(args []string, v engine.Value) error {
	p.buf = p.format(p.buf[:0], args, v)
	if v.IsError() {
		p.failed = true
		if p.palette {
			p.buf = []byte(p.palette.lines(p.palette.bad, string(p.buf)))
		}
	}
	if _, err := p.out.Write(p.buf); err != nil {
		return err
	}
	if v.IsError() && strings.HasPrefix(v.Text(), "ERR unknown command") && len(args) > 0 {
		if c, err := find(p.commands, args[0]); err == nil && c.name == strings.ToLower(args[0]) {
			p.sayf("(:%s is a command of the prompt, with a colon)", c.name)
		}
	}
	return nil
}

// showLeft prints what a failed script has written, if that remains.
func (c *common) showLeft(e *engine.ScriptError) {
	if e != nil && !c.RepliesOnly {
		c.say(c.palette.lines(c.palette.marked, strings.TrimSuffix(display.Writes(e), "\n")))
	}
}
