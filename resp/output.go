package resp

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// writePiece is the number of bytes that the drain goroutine sends before it reports progress.
const writePiece = 1 << 20

var errSlowReader = errors.New("resp: the peer does not read its replies")

// output writes a connection's replies. As long as the peer reads, the connection's own goroutine
// writes directly to the socket. If the socket is full, a second goroutine sends the rest, and the
// first continues to read requests, because a client may send a whole pipeline before it reads the
// first reply.
//
// Invariant: while draining is set, only the drain goroutine writes to the socket; otherwise queue
// is empty.
type output struct {
	conn     net.Conn
	limit    int                         // bytes in queue from which write waits
	patience time.Duration               // how long write waits while the peer reads nothing
	try      func(b []byte) (int, error) // writes as much as is possible without waiting

	mu       sync.Mutex
	queue    [][]byte
	queued   int // number of bytes in queue
	draining bool
	err      error
	progress chan struct{} // capacity 1; signals that bytes were sent or err was set

	drained sync.WaitGroup // counts the drain goroutine
	written atomic.Int64   // number of pieces that it has sent
}

// tryWriter is a connection that can write as much as is possible without waiting.
type tryWriter interface {
	TryWrite(b []byte) (n int, err error)
}

func newOutput(conn net.Conn, limit int, patience time.Duration) *output {
	o := &output{conn: conn, limit: limit, patience: patience, progress: make(chan struct{}, 1)}
	var socket rawWriter
	switch c := conn.(type) {
	case tryWriter:
		o.try = c.TryWrite
		return o
	case syscall.Conn:
		if raw, err := c.SyscallConn(); err == nil {
			socket.init(raw)
		}
	}
	o.try = socket.write
	return o
}

// write sends b, or adds it to the queue. kept reports that b now belongs to the queue.
func (o *output) write(b []byte) (kept bool, err error) {
	o.mu.Lock()
	if err := o.err; err != nil || len(b) == 0 {
		o.mu.Unlock()
		return false, err
	}
	if !o.draining {
		n, err := o.try(b)
		if err != nil || n == len(b) {
			o.err = err
			o.mu.Unlock()
			return false, err
		}
		b = b[n:]
		o.draining = true
		o.drained.Go(o.drain)
	}
	o.queue = append(o.queue, b)
	o.queued += len(b)
	o.mu.Unlock()
	return true, o.await(o.limit)
}

// waiting returns the number of bytes in the queue.
func (o *output) waiting() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(o.queued)
}

// await waits until at most limit bytes are in the queue. It returns an error if the peer reads
// nothing for the time patience.
func (o *output) await(limit int) error {
	var timeout <-chan time.Time
	for {
		o.mu.Lock()
		queued, err := o.queued, o.err
		o.mu.Unlock()
		if err != nil || queued <= limit {
			return err
		}
		if o.patience > 0 {
			timeout = time.After(o.patience)
		}
		select {
		case <-o.progress:
		case <-timeout:
			return errSlowReader
		}
	}
}

// flush waits until the queue is empty, however long the peer takes.
func (o *output) flush() error {
	o.patience = 0
	return o.await(0)
}

// drain sends the queue and returns when it is empty.
func (o *output) drain() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 || o.err != nil {
			o.queue, o.draining = nil, false
			o.mu.Unlock()
			return
		}
		piece := o.queue[0]
		piece = piece[:min(len(piece), writePiece)]
		o.mu.Unlock()

		n, err := o.conn.Write(piece)
		o.written.Add(1)

		o.mu.Lock()
		o.err = err
		o.queued -= n
		if o.queue[0] = o.queue[0][n:]; len(o.queue[0]) == 0 {
			o.queue[0] = nil
			o.queue = o.queue[1:]
		}
		o.mu.Unlock()
		select {
		case o.progress <- struct{}{}:
		default:
		}
	}
}
