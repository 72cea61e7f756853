package link

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// lineLimit is the longest line of a handshake.
const lineLimit = 1024

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

// line returns the next line without its end.
func (in *input) line() (string, error) {
	seen := 0
	for {
		for i := seen; i < len(in.buf); i++ {
			if in.buf[i] == '\n' {
				line := strings.TrimSuffix(string(in.buf[:i]), "\r")
				in.buf = in.buf[i+1:]
				return line, nil
			}
		}
		if seen = len(in.buf); seen > lineLimit {
			return "", fmt.Errorf("%w: a line is longer than %d bytes", errProtocol, lineLimit)
		}
		if err := in.more(); err != nil {
			return "", err
		}
	}
}

// reply returns the next line that is not empty: the master sends newlines while it is busy.
func (in *input) reply() (string, error) {
	for {
		if line, err := in.line(); line != "" || err != nil {
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

// copySize reads the line before the copy: its size or, if mark is not "", what marks its end.
func (in *input) copySize() (size int64, mark string, err error) {
	line, err := in.reply()
	switch {
	case err != nil:
		return 0, "", err
	case strings.HasPrefix(line, "-"):
		return 0, "", fmt.Errorf("MASTER aborted replication with an error: %s", line[1:])
	case !strings.HasPrefix(line, "$"):
		//lint:ignore ST1005 the words of Redis
		return 0, "", fmt.Errorf(errNotDollar, line)
	case strings.HasPrefix(line, markPrefix) && len(line) == len(markPrefix)+markSize:
		return -1, line[len(markPrefix):], nil
	}
	size, err = strconv.ParseInt(line[1:], 10, 64)
	if err != nil || size < 0 {
		return 0, "", fmt.Errorf("%w: the size of the copy is '%s'", errProtocol, line[1:])
	}
	return size, "", nil
}

// errNotDollar is the text of Redis about a reply that announces no copy.
const errNotDollar = "Bad protocol from MASTER, the first byte is not '$' (we received '%s'), are you sure the host and port are right?"

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
	if n == 0 && err == io.EOF {
		err = errCut
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
	over bool
}

func (m *marked) Read(p []byte) (int, error) {
	for {
		if n := len(m.held) - markSize; n > 0 {
			n = copy(p, m.held[:n])
			m.held = m.held[:copy(m.held, m.held[n:])]
			return n, nil
		}
		if m.over || string(m.held) == m.mark {
			m.over = true
			return 0, io.EOF
		}
		n, err := m.in.Read(m.room[:])
		m.held = append(m.held, m.room[:n]...)
		if n == 0 && err != nil {
			if err == io.EOF {
				err = errCut
			}
			return 0, err
		}
	}
}
