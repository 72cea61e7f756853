package difftest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// Peer is a server to play a file against: the oracle or Redmoon behind one door.
type Peer interface {
	// Open opens a new session.
	Open() (Conn, error)
	// Pass lets time pass.
	Pass(d time.Duration)
	// Digest returns a text that changes when the keyspace changes.
	Digest() (string, error)
}

// Conn is one session of a Peer.
type Conn interface {
	// Do runs one command and returns the raw reply. A closed session answers [Closed].
	Do(args []string) ([]byte, error)
	// Close drops the session.
	Close()
}

// rawConn is a Conn over which any bytes can be sent.
type rawConn interface {
	Conn
	Send(raw string) error
	Read() ([]byte, error)
}

// Closed stands for a reply that did not arrive because the connection was closed. No reply begins
// like it.
const Closed = "(closed)"

// NetConn is a connection to a server that speaks RESP.
type NetConn struct {
	c net.Conn
	r *bufio.Reader
}

// NewNetConn returns a session over c.
func NewNetConn(c net.Conn) *NetConn { return &NetConn{c: c, r: bufio.NewReaderSize(c, 1<<16)} }

// Do implements [Conn].
func (c *NetConn) Do(args []string) ([]byte, error) {
	if err := c.Send(string(resp.AppendCommand(nil, args...))); err != nil {
		return nil, err
	}
	return c.Read()
}

// Send writes bytes as they are. A connection that the peer has closed is not an error here; the
// next Read reports it.
func (c *NetConn) Send(raw string) error {
	if err := c.c.SetDeadline(patience.Deadline()); err != nil && !isClosed(err) {
		return err
	}
	if _, err := io.WriteString(c.c, raw); err != nil && !isClosed(err) {
		return err
	}
	return nil
}

// Read reads one raw reply.
func (c *NetConn) Read() ([]byte, error) {
	raw, err := readFrame(c.r, nil)
	if err != nil && len(raw) == 0 && isClosed(err) {
		return []byte(Closed), nil
	}
	return raw, err
}

// Close implements [Conn].
func (c *NetConn) Close() { c.c.Close() }

func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
