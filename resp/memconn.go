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

// Dial connects to the server within the process, without a socket. Up to 256 KiB wait in memory in
// each direction; then a writer waits. The server need not listen. Dial returns [ErrServerClosed]
// after Close or Shutdown.
func (s *Server) Dial() (net.Conn, error) {
	if s.isClosed() {
		return nil, ErrServerClosed
	}
	client, server := memoryConns()
	s.accept(server)
	return client, nil
}

// memoryRoom is the number of bytes that may wait in one direction before a writer waits.
const memoryRoom = 256 << 10

// memoryConn is one end of an in-memory connection.
type memoryConn struct {
	in, out    *stream
	addr, peer memoryAddr
	closed     atomic.Bool // no write begins any more
}

// memoryAddr is the address of one end; each end has its own number.
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
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	if n, err = c.out.write(p, true); errors.Is(err, errPeerGone) {
		// clients recognize network errors by this type
		err = &net.OpError{Op: "write", Net: "memory", Source: c.addr, Addr: c.peer, Err: err}
	}
	return n, err
}

// TryWrite writes as much as there is room for and does not wait.
func (c *memoryConn) TryWrite(p []byte) (n int, err error) { return c.out.write(p, false) }

// Close implements [net.Conn]. Bytes already written can still be read at the other end.
func (c *memoryConn) Close() error {
	c.closed.Store(true) // who has seen that reads fail cannot write
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

// stream is one direction: the bytes that have been written but not yet read.
type stream struct {
	mu           sync.Mutex
	buf          []byte
	from         int  // buf[from:] waits
	writerClosed bool // closed by the writer: no more bytes will come
	readerClosed bool // closed by the reader: bytes are discarded
	reading      side
	writing      side
}

// side is the state of the reader or the writer of a stream. The mutex of the stream guards it.
type side struct {
	mu       *sync.Mutex
	wake     sync.Cond
	waits    int
	deadline time.Time
	expired  bool // the deadline had already passed when it was set
	timer    *time.Timer
	firesAt  time.Time // when timer fires; zero: it is stopped
}

func newStream() *stream {
	s := &stream{}
	s.reading.init(&s.mu)
	s.writing.init(&s.mu)
	return s
}

func (d *side) init(mu *sync.Mutex) { d.mu, d.wake.L = mu, mu }

// set sets the deadline; the zero time means none.
func (d *side) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deadline, d.expired = t, !t.IsZero() && !t.After(time.Now())
	if d.waits > 0 {
		d.wake.Broadcast()
	}
}

// wait waits until the other side signals a change. The error is os.ErrDeadlineExceeded if the
// deadline has passed.
func (d *side) wait() error {
	if !d.deadline.IsZero() {
		left := time.Until(d.deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		d.armTimer(left)
	}
	d.waits++
	d.wake.Wait()
	d.waits--
	return nil
}

// armTimer ensures that the timer wakes the waiting side at the deadline, in left, or earlier; wait
// then calls armTimer again.
func (d *side) armTimer(left time.Duration) {
	switch {
	case d.timer == nil:
		d.timer = time.AfterFunc(left, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.firesAt = time.Time{}
			d.wake.Broadcast()
		})
	case d.firesAt.IsZero() || d.firesAt.After(d.deadline):
		d.timer.Reset(left)
	default:
		return
	}
	d.firesAt = d.deadline
}

// end stops the timer and wakes the waiting side.
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
		case s.readerClosed:
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
		case s.writerClosed:
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		if err := s.reading.wait(); err != nil {
			return 0, err
		}
	}
}

// empty makes the buffer ready for reuse; a large one is released.
func (s *stream) empty() {
	s.buf, s.from = s.buf[:0], 0
	if cap(s.buf) > outKeep {
		s.buf = nil
	}
}

// write appends p. If there is not enough room, it waits and writes in pieces, or, unless wait is
// set, writes only as much as there is room for. n is the number of bytes written.
func (s *stream) write(p []byte, wait bool) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.writerClosed:
			return n, net.ErrClosed
		case s.readerClosed:
			return n, errPeerGone
		case s.writing.expired:
			return n, os.ErrDeadlineExceeded
		}
		if room := memoryRoom - (len(s.buf) - s.from); room > 0 && len(p) > 0 {
			// move the bytes to the front before the buffer grows
			if s.from > 0 && len(s.buf)+len(p) > cap(s.buf) {
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

// close closes the stream for the reader or the writer.
func (s *stream) close(reader bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader {
		s.readerClosed, s.buf, s.from = true, nil, 0
	} else {
		s.writerClosed = true
	}
	s.reading.end()
	s.writing.end()
}
