package repl

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// Plain reads lines as they come, of any length, and shows no prompt. News are written to a writer, if there is one.
type Plain struct {
	News io.Writer

	r    *bufio.Reader
	wake chan struct{}
	read chan read // a line that is being read
}

type read struct {
	line string
	err  error
}

// NewPlain returns a Reader of r's lines.
func NewPlain(r io.Reader) *Plain { return &Plain{r: bufio.NewReader(r), wake: make(chan struct{}, 1)} }

// ReadLine implements [Reader].
func (p *Plain) ReadLine(a Assistant) (string, error) {
	line, err := p.line(a)
	for err == nil && !a.Finished(line) {
		var next string
		if next, err = p.line(a); err == nil {
			line += "\n" + next
		}
	}
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return line, err
}

// line returns the next line.
func (p *Plain) line(a Assistant) (string, error) {
	if p.read == nil {
		p.read = make(chan read, 1)
		go func(to chan read) {
			line, err := p.r.ReadString('\n')
			to <- read{line, err}
		}(p.read)
	}
	for {
		select {
		case <-p.wake:
			if text := a.News(); text != "" && p.News != nil {
				if _, err := io.WriteString(p.News, text); err != nil {
					return "", err
				}
			}
		case got := <-p.read:
			p.read = nil
			if errors.Is(got.err, io.EOF) && got.line != "" {
				got.err = nil
			}
			return strings.TrimRight(got.line, "\r\n"), got.err
		}
	}
}

// Wake implements [Reader].
func (p *Plain) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
