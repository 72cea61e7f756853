package repl

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// Plain reads lines as they come, of any length, and shows no prompt.
type Plain struct{ r *bufio.Reader }

// NewPlain returns a Reader of r's lines.
func NewPlain(r io.Reader) *Plain { return &Plain{bufio.NewReader(r)} }

// ReadLine implements [Reader].
func (p *Plain) ReadLine(string) (string, error) {
	line, err := p.r.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}
