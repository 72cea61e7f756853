package clone

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/resp"
)

// Silence is how long a server may send nothing. While it prepares a copy it sends empty lines.
const Silence = time.Minute

// maxLine is the number of bytes that a line may have.
const maxLine = 4096

// conn is a connection to the server.
type conn struct {
	nc    net.Conn
	r     *bufio.Reader
	login backend.Login
	stop  func() bool
	wait  time.Duration // Silence
}

// dial connects and logs in.
func dial(ctx context.Context, o *Options) (*conn, error) {
	nc, login, err := backend.Dial(ctx, o.Address, o.TLS)
	if err != nil {
		return nil, err
	}
	c := &conn{nc: nc, login: login, wait: o.Silence}
	if c.wait == 0 {
		c.wait = Silence
	}
	c.r = bufio.NewReaderSize(c, 64<<10)
	c.stop = context.AfterFunc(ctx, func() { _ = nc.Close() })
	if auth := login.Command(); auth != nil {
		line, err := c.ask(auth...)
		if err == nil && line[0] == '-' {
			err = errors.New(line[1:])
		}
		if err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *conn) close() {
	c.stop()
	_ = c.nc.Close() // what was to be read has been read
}

// Read implements io.Reader.
func (c *conn) Read(p []byte) (int, error) {
	if err := c.nc.SetReadDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	n, err := c.nc.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("the server has sent nothing for %s", c.wait)
	}
	return n, err
}

// send sends commands.
func (c *conn) send(commands ...[]string) error {
	var out []byte
	for _, args := range commands {
		out = resp.AppendCommand(out, args...)
	}
	if err := c.nc.SetWriteDeadline(time.Now().Add(c.wait)); err != nil {
		return err
	}
	_, err := c.nc.Write(out)
	return err
}

// ask sends a command and reads the line that answers it, without its end. The line is not empty.
func (c *conn) ask(args ...string) (string, error) {
	if err := c.send(args); err != nil {
		return "", err
	}
	return c.line()
}

// line reads the next line that is not empty.
func (c *conn) line() (string, error) {
	for {
		var line []byte
		for {
			b, err := c.r.ReadByte()
			if errors.Is(err, io.EOF) {
				err = errHungUp
			}
			if err != nil {
				return "", err
			}
			if b == '\n' {
				break
			}
			if line = append(line, b); len(line) > maxLine {
				return "", fmt.Errorf("the server has sent a line of more than %d bytes", maxLine)
			}
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) > 0 {
			return string(line), nil
		}
	}
}

var errHungUp = errors.New("the server has closed the connection")
