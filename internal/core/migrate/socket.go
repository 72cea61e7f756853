package migrate

import (
	"bufio"
	"net"
	"time"
)

// MaxLine is the number of bytes of one line of a reply that are read as one line, as in Redis.
const MaxLine = 1023

// chunk is the number of bytes that must be sent within a time-out.
const chunk = 64 << 10

// NoDB says that it is not known which database the target has selected.
const NoDB = -1

// Socket is a connection to a target.
type Socket struct {
	// Selected is the number of the database that the target has selected, or NoDB.
	Selected int64

	name   string // host:port
	used   int64  // time of the last use, seconds
	nc     net.Conn
	r      *bufio.Reader
	unlink func() bool
}

func newSocket(name string, nc net.Conn, now int64) *Socket {
	return &Socket{Selected: NoDB, name: name, used: now, nc: nc, r: bufio.NewReader(nc)}
}

// Write sends p. Each 64 KiB of it must be sent within timeout.
func (k *Socket) Write(p []byte, timeout time.Duration) error {
	for len(p) > 0 {
		part := p[:min(len(p), chunk)]
		if err := k.nc.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
			return err
		}
		if _, err := k.nc.Write(part); err != nil {
			return err
		}
		p = p[len(part):]
	}
	return nil
}

// ReadLine reads one line of a reply and returns it without its end. The target must send something
// within each timeout. Of a line longer than [MaxLine], the next ReadLine returns the rest.
func (k *Socket) ReadLine(timeout time.Duration) (string, error) {
	var line []byte
	for len(line) < MaxLine {
		if k.r.Buffered() == 0 {
			if err := k.nc.SetReadDeadline(time.Now().Add(timeout)); err != nil {
				return "", err
			}
		}
		b, err := k.r.ReadByte()
		if err != nil {
			return "", err
		}
		if b == '\n' {
			if n := len(line); n > 0 && line[n-1] == '\r' {
				line = line[:n-1]
			} else if n == 0 {
				return "", errEmptyLine
			}
			break
		}
		line = append(line, b)
	}
	return string(line), nil
}

type socketError string

func (e socketError) Error() string { return string(e) }

// errEmptyLine is the error for a reply that consists of a line feed only.
const errEmptyLine = socketError("migrate: empty reply")
