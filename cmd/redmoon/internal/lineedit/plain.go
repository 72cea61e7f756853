package lineedit

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// Plain reads lines of any length from a reader and shows no prompt. It writes news to News, which
// is optional.
type Plain struct {
	News io.Writer

	r       *bufio.Reader
	wake    chan struct{}   // holds a token after Wake
	pending chan readResult // the line that is being read
}

type readResult struct {
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
	if p.pending == nil {
		p.pending = make(chan readResult, 1)
		go func(to chan readResult) {
			line, err := p.r.ReadString('\n')
			to <- readResult{line, err}
		}(p.pending)
	}
	for {
		select {
		case <-p.wake:
			if text := a.News(); text != "" && p.News != nil {
				if _, err := io.WriteString(p.News, text); err != nil {
					return "", err
				}
			}
		case got := <-p.pending:
			p.pending = nil
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
