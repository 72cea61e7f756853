package resp

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Dial connects to the server inside the program, with no socket: what is written on one side waits in memory until the other reads it.
// The server need not listen. It returns [ErrServerClosed] after Close or Shutdown.
func (s *Server) Dial() (net.Conn, error) {
	if s.isClosed() {
		return nil, ErrServerClosed
	}
	client, server := memoryConns()
	s.accept(server)
	return client, nil
}

// memoryRoom is how many bytes wait in one direction before who writes waits as well.
const memoryRoom = 256 << 10

// memoryConn is one end of a connection in memory.
type memoryConn struct {
	in, out    *stream
	addr, peer memoryAddr
}

// memoryAddr is the address of one end; each has another number.
type memoryAddr int64

// Network implements [net.Addr].
func (memoryAddr) Network() string { return "memory" }

// String implements [net.Addr].
func (a memoryAddr) String() string { return "memory:" + strconv.FormatInt(int64(a), 10) }

var lastMemoryAddr atomic.Int64

func memoryConns() (a, b *memoryConn) {
	there, back := newStream(), newStream()
	x, y := memoryAddr(lastMemoryAddr.Add(1)), memoryAddr(lastMemoryAddr.Add(1))
	return &memoryConn{in: back, out: there, addr: x, peer: y}, &memoryConn{in: there, out: back, addr: y, peer: x}
}

// Read implements [net.Conn].
func (c *memoryConn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write implements [net.Conn].
func (c *memoryConn) Write(p []byte) (n int, err error) {
	if n, err = c.out.write(p, true); errors.Is(err, errPeerGone) {
		err = &net.OpError{Op: "write", Net: "memory", Source: c.addr, Addr: c.peer, Err: err} // clients tell by its type that it is of the network
	}
	return n, err
}

// TryWrite writes what there is room for and does not wait.
func (c *memoryConn) TryWrite(p []byte) (n int, err error) { return c.out.write(p, false) }

// Close implements [net.Conn]. What has been written can still be read on the other side.
func (c *memoryConn) Close() error {
	c.in.close(true)
	c.out.close(false)
	return nil
}

// LocalAddr implements [net.Conn].
func (c *memoryConn) LocalAddr() net.Addr { return c.addr }

// RemoteAddr implements [net.Conn].
func (c *memoryConn) RemoteAddr() net.Addr { return c.peer }

// SetDeadline implements [net.Conn].
func (c *memoryConn) SetDeadline(t time.Time) error {
	c.in.reading.set(t)
	c.out.writing.set(t)
	return nil
}

// SetReadDeadline implements [net.Conn].
func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.in.reading.set(t)
	return nil
}

// SetWriteDeadline implements [net.Conn].
func (c *memoryConn) SetWriteDeadline(t time.Time) error {
	c.out.writing.set(t)
	return nil
}

// stream is one direction: bytes that have been written and not yet read.
type stream struct {
	mu      sync.Mutex
	buf     []byte
	from    int  // buf[from:] waits
	closed  bool // by who writes: no more comes
	deaf    bool // by who reads: nothing is wanted any more
	reading side
	writing side
}

// side is who reads or who writes. The mutex of the stream guards it.
type side struct {
	mu       *sync.Mutex
	wake     sync.Cond
	waits    int
	deadline time.Time
	expired  bool // the deadline had passed when it was set
	timer    *time.Timer
	rings    time.Time // when timer goes off; zero: it does not
}

func newStream() *stream {
	s := &stream{}
	s.reading.init(&s.mu)
	s.writing.init(&s.mu)
	return s
}

func (d *side) init(mu *sync.Mutex) { d.mu, d.wake.L = mu, mu }

// set sets the deadline; zero: there is none.
func (d *side) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deadline, d.expired = t, !t.IsZero() && !t.After(time.Now())
	if d.waits > 0 {
		d.wake.Broadcast()
	}
}

// wait waits until the other side has done something. The error is os.ErrDeadlineExceeded when the deadline has passed.
func (d *side) wait() error {
	if !d.deadline.IsZero() {
		left := time.Until(d.deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		d.ring(left)
	}
	d.waits++
	d.wake.Wait()
	d.waits--
	return nil
}

// ring makes sure that the timer wakes who waits at the deadline, after left, or before it: then it is set again.
func (d *side) ring(left time.Duration) {
	switch {
	case d.timer == nil:
		d.timer = time.AfterFunc(left, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.rings = time.Time{}
			d.wake.Broadcast()
		})
	case d.rings.IsZero() || d.rings.After(d.deadline):
		d.timer.Reset(left)
	default:
		return
	}
	d.rings = d.deadline
}

// end wakes who waits for the last time.
func (d *side) end() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.wake.Broadcast()
}

func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.deaf:
			return 0, net.ErrClosed
		case s.reading.expired:
			return 0, os.ErrDeadlineExceeded
		case len(s.buf) > s.from:
			n := copy(p, s.buf[s.from:])
			if s.from += n; s.from == len(s.buf) {
				s.empty()
			}
			if s.writing.waits > 0 {
				s.writing.wake.Broadcast()
			}
			return n, nil
		case s.closed:
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		if err := s.reading.wait(); err != nil {
			return 0, err
		}
	}
}

// empty makes the buffer ready for more; a large one is not kept.
func (s *stream) empty() {
	s.buf, s.from = s.buf[:0], 0
	if cap(s.buf) > outKeep {
		s.buf = nil
	}
}

// write appends p, in pieces where there is no room for it. Unless it may wait, it returns how much there was room for.
func (s *stream) write(p []byte, wait bool) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return n, net.ErrClosed
		case s.deaf:
			return n, errPeerGone
		case s.writing.expired:
			return n, os.ErrDeadlineExceeded
		}
		if room := memoryRoom - (len(s.buf) - s.from); room > 0 && len(p) > 0 {
			if s.from > 0 && len(s.buf)+len(p) > cap(s.buf) { // before the buffer grows
				s.buf = append(s.buf[:0], s.buf[s.from:]...)
				s.from = 0
			}
			piece := p[:min(len(p), room)]
			s.buf = append(s.buf, piece...)
			n, p = n+len(piece), p[len(piece):]
			if s.reading.waits > 0 {
				s.reading.wake.Signal()
			}
		}
		if len(p) == 0 || !wait {
			return n, nil
		}
		if err := s.writing.wait(); err != nil {
			return n, err
		}
	}
}

var errPeerGone = errors.New("the other end is closed")

// close ends the stream for who reads, or for who writes.
func (s *stream) close(reader bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader {
		s.deaf, s.buf, s.from = true, nil, 0
	} else {
		s.closed = true
	}
	s.reading.end()
	s.writing.end()
}
