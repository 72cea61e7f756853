package link

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// The longest lines before the stream. What is longer counts as several lines, as in Redis.
const (
	replyLimit = 255
	sizeLimit  = 1023
)

// input reads from the master.
type input struct {
	conn  net.Conn
	heard func()
	buf   []byte // read and not used yet
	room  [16 << 10]byte
}

// more reads bytes into buf.
func (in *input) more() error {
	n, err := in.conn.Read(in.room[:])
	if n > 0 {
		in.heard()
		in.buf = append(in.buf, in.room[:n]...)
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// line returns the next line without its end, or its first most bytes.
func (in *input) line(most int) (string, error) {
	for {
		end, used := bytes.IndexByte(in.buf, '\n'), 1
		if end < 0 || end >= most {
			end, used = most, 0
		}
		if end+used <= len(in.buf) {
			line := strings.TrimSuffix(string(in.buf[:end]), "\r")
			in.buf = in.buf[end+used:]
			return line, nil
		}
		if err := in.more(); err != nil {
			return "", err
		}
	}
}

// reply returns the next line that is not empty: the master sends newlines while it is busy.
func (in *input) reply(most int) (string, error) {
	for {
		if line, err := in.line(most); line != "" || err != nil {
			return line, err
		}
	}
}

// Read gives what has been read already, then reads from the connection.
func (in *input) Read(p []byte) (int, error) {
	if len(in.buf) > 0 {
		n := copy(p, in.buf)
		in.buf = in.buf[n:]
		return n, nil
	}
	n, err := in.conn.Read(p)
	if n > 0 {
		in.heard()
	}
	return n, err
}

// The start of the copy of a master that does not know its size.
const (
	markPrefix = "$EOF:"
	markSize   = 40
)

// copySize reads the line before the copy: its size or, if mark is not "", what marks its end. The
// size is the number at the beginning of the line, 0 if there is none.
func (in *input) copySize() (size int64, mark string, err error) {
	line, err := in.reply(sizeLimit)
	switch {
	case err != nil:
		return 0, "", fmt.Errorf("I/O error reading bulk count from MASTER: %s", reason(err))
	case strings.HasPrefix(line, "-"):
		return 0, "", fmt.Errorf("MASTER aborted replication with an error: %s", line[1:])
	case !strings.HasPrefix(line, "$"):
		//lint:ignore ST1005 the words of Redis
		return 0, "", fmt.Errorf(errNotDollar, line)
	case strings.HasPrefix(line, markPrefix) && len(line) >= len(markPrefix)+markSize:
		return -1, line[len(markPrefix):][:markSize], nil
	}
	return leadingNumber(line[1:]), "", nil
}

// leadingNumber returns the number at the beginning of a text, as strtoll of C does: 0 if there is
// none, and the nearest number if it is out of range.
func leadingNumber(text string) int64 {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || end == 0 && (text[0] == '-' || text[0] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 64) // the nearest number if it is out of range
	return n
}

// errNotDollar is the text of Redis about a reply that announces no copy.
const errNotDollar = "Bad protocol from MASTER, the first byte is not '$' (we received '%s'), are you sure the host and port are right?"

// cut returns the error of a copy whose connection is lost.
func cut(err error) error {
	if err == io.EOF {
		return ErrCut
	}
	return fmt.Errorf("I/O error trying to sync with MASTER: %s", reason(err))
}

// sized gives the next left bytes.
type sized struct {
	in   io.Reader
	left int64
}

func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if n == 0 && err != nil {
		err = cut(err)
	}
	return n, err
}

// marked gives the bytes before a mark. The master sends nothing after the mark until it has heard
// from the replica, so the mark can only be the last bytes that have arrived.
type marked struct {
	in   io.Reader
	mark string
	held []byte // the last bytes: they may be the mark
	room [16 << 10]byte
	err  error // after held
}

func (m *marked) Read(p []byte) (int, error) {
	for {
		keep := markSize
		if m.err != nil {
			keep = 0
		}
		if n := len(m.held) - keep; n > 0 {
			n = copy(p, m.held[:n])
			m.held = m.held[:copy(m.held, m.held[n:])]
			return n, nil
		}
		if m.err == nil && string(m.held) == m.mark {
			return 0, io.EOF
		}
		if m.err != nil {
			return 0, m.err
		}
		n, err := m.in.Read(m.room[:])
		m.held = append(m.held, m.room[:n]...)
		if n == 0 && err != nil {
			m.err = cut(err)
		}
	}
}
