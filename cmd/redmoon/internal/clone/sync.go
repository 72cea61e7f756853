package clone

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// refusedError is the answer of a server that gives no copy.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// requestCopy asks for a copy of the data set. The copy is read from body, whose size is 0 if the
// server does not announce it.
func requestCopy(ctx context.Context, o *Options) (c *conn, body io.Reader, size int64, err error) {
	opened, err := dial(ctx, o)
	if err != nil {
		return nil, nil, 0, err
	}
	c = opened
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	// With this the server may send the copy while it makes it, without a file of its own. A server
	// that does not know it answers an error, which says nothing about SYNC.
	if _, err = c.ask("REPLCONF", "capa", "eof"); err != nil {
		return nil, nil, 0, err
	}
	line, err := c.ask("SYNC")
	if err != nil {
		return nil, nil, 0, err
	}
	switch mark, streamed := strings.CutPrefix(line, "$EOF:"); {
	case line[0] == '-':
		return nil, nil, 0, refusal(line[1:])
	case streamed && len(mark) == markSize:
		return c, &markedReader{r: c.r, mark: []byte(mark)}, 0, nil
	case line[0] == '$':
		size, err = strconv.ParseInt(line[1:], 10, 64)
		if err == nil && size >= 0 {
			return c, &sizedReader{r: c.r, left: size}, size, nil
		}
	}
	return nil, nil, 0, fmt.Errorf("the server's answer to SYNC is %.100q, which no Redis sends", line)
}

// refusal returns the error for a refusal of SYNC: a refusedError if the keys may be read in
// another way.
func refusal(text string) error {
	code, _, _ := strings.Cut(text, " ")
	switch code {
	case "LOADING", "NOMASTERLINK", "MASTERDOWN", "NOAUTH", "BUSY":
		return errors.New(text)
	}
	return refusedError(text)
}

// sizedReader reads a copy whose size is known.
type sizedReader struct {
	r    io.Reader
	left int64
}

func (s *sizedReader) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.r.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if errors.Is(err, io.EOF) && s.left > 0 {
		err = fmt.Errorf("%w, %d bytes before the end of the copy", errHungUp, s.left)
	}
	return n, err
}

// markSize is the number of bytes of a mark.
const markSize = 40

// markedReader reads a copy that ends before a mark. Behind the mark the server goes on with its
// commands, which nobody reads.
type markedReader struct {
	r    *bufio.Reader
	mark []byte
}

func (m *markedReader) Read(p []byte) (int, error) {
	if _, err := m.r.Peek(markSize); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w before the end of the copy", errHungUp)
		}
		return 0, err
	}
	b, _ := m.r.Peek(m.r.Buffered()) // so much is there
	end := bytes.Index(b, m.mark)
	if end == 0 {
		return 0, io.EOF
	}
	if end < 0 {
		end = len(b) - markSize + 1
	}
	n := copy(p, b[:end])
	_, _ = m.r.Discard(n)
	return n, nil
}
