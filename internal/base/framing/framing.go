// Package framing reads and writes messages that stand behind a header with their length, as the
// Language Server Protocol and the Debug Adapter Protocol have them:
//
//	Content-Length: 2\r\n
//	\r\n
//	{}
//
// The peer may send anything: a header and a message have maximum lengths, and memory is taken as
// bytes arrive, not as a header promises.
package framing

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format says which messages are read.
type Format struct {
	Lost       error // wrapped by the error of Read if the beginning of the next message cannot be found
	MaxHeader  int   // bytes of a header
	MaxMessage int   // bytes of a message without its header
	// Strict refuses fields other than Content-Length and Content-Type: such a header may come from a
	// web page, whose browser was made to connect to a debugger.
	Strict bool
}

// Read reads one message and its header. It returns io.EOF if nothing comes any more, and
// io.ErrUnexpectedEOF if the input ends within a message. Otherwise, an error that is not that of r
// wraps Lost.
func (f *Format) Read(r *bufio.Reader) ([]byte, error) {
	length, left := -1, f.MaxHeader
	for {
		line, err := r.ReadSlice('\n')
		if left -= len(line); left < 0 || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("%w: the header is too long", f.Lost)
		}
		if err != nil {
			begun := len(line) > 0 || left < f.MaxHeader
			if begun && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if text == "" {
			break
		}
		if length, err = f.field(text, length); err != nil {
			return nil, err
		}
	}
	switch {
	case length < 0:
		return nil, fmt.Errorf("%w: no Content-Length", f.Lost)
	case length > f.MaxMessage:
		return nil, fmt.Errorf("%w: a message of %d bytes is too long", f.Lost, length)
	}
	return readFull(r, length)
}

// field reads a field of the header. length is what an earlier field has said, or -1. It returns
// what is known of the length now.
func (f *Format) field(text string, length int) (int, error) {
	name, value, ok := strings.Cut(text, ":")
	switch strings.ToLower(name) {
	case "content-length":
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil || length >= 0 {
			return 0, fmt.Errorf("%w: %q", f.Lost, text)
		}
		return int(n), nil
	case "content-type":
	default:
		if !ok || f.Strict {
			return 0, fmt.Errorf("%w: %q", f.Lost, text)
		}
	}
	return length, nil
}

// readFull reads n bytes. The buffer grows as bytes arrive, so that a wrong length does not
// allocate memory.
func readFull(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 64<<10))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		m, err := io.ReadFull(r, b[len(b):min(cap(b), n)])
		b = b[:len(b)+m]
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
	}
	return b, nil
}

// Write writes a message with its header, in one call of w.Write.
func Write(w io.Writer, message []byte) error {
	_, err := w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(message)), message...))
	return err
}
