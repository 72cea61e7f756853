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
	limit    int                         // bytes that queue may hold before write waits
	patience time.Duration               // how long write waits while the peer reads nothing
	try      func(b []byte) (int, error) // writes as much as is possible without waiting

	mu       sync.Mutex
	queue    []piece
	queued   int // number of bytes in queue
	held     int // number of bytes that the memory of queue takes
	draining bool
	err      error
	progress chan struct{} // capacity 1; signals that bytes were sent or err was set

	drained sync.WaitGroup // counts the drain goroutine
	written atomic.Int64   // number of pieces that it has sent
}

// piece is a part of the queue. The last one grows, so that small replies share memory.
type piece struct {
	b    []byte // what is to be sent
	held int    // the memory that b is a part of
}

// leastPiece is the least memory of a piece that small replies share.
const leastPiece = 4 << 10

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

// write sends b, or adds it to the queue. kept reports that b now belongs to the queue, with its
// spare capacity.
func (o *output) write(b []byte) (kept bool, err error) {
	o.mu.Lock()
	if err := o.err; err != nil || len(b) == 0 {
		o.mu.Unlock()
		return false, err
	}
	sent := 0
	if !o.draining {
		sent, err = o.try(b)
		if err != nil || sent == len(b) {
			o.err = err
			o.mu.Unlock()
			return false, err
		}
		o.draining = true
		o.drained.Go(o.drain)
	}
	kept = o.enqueue(b, sent)
	o.mu.Unlock()
	return kept, o.await(o.limit)
}

// enqueue adds b to the queue, without its first sent bytes. It copies b if it is small for the
// memory that it takes.
func (o *output) enqueue(b []byte, sent int) (kept bool) {
	rest := b[sent:]
	o.queued += len(rest)
	if last := len(o.queue) - 1; last >= 0 && len(rest) <= cap(o.queue[last].b)-len(o.queue[last].b) {
		o.queue[last].b = append(o.queue[last].b, rest...) // behind what drain may be sending
		return false
	}
	if kept = len(rest) >= cap(b)/4; !kept {
		b = make([]byte, 0, max(leastPiece, 2*len(rest)))
		rest = append(b, rest...)
	}
	o.queue = append(o.queue, piece{rest, cap(b)})
	o.held += cap(b)
	return kept
}

// waiting returns the number of bytes in the queue. Their memory is at most twice that, and 16 KiB.
func (o *output) waiting() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(o.queued)
}

// memory returns the greater one of queued and held: strings are part of values, and may have been
// sent in part.
func (o *output) memory() int { return max(o.queued, o.held) }

// await waits until at most limit bytes are in the queue. It returns an error if the peer reads
// nothing for the time patience.
func (o *output) await(limit int) error {
	var timeout <-chan time.Time
	for {
		o.mu.Lock()
		queued, err := o.memory(), o.err
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
			o.queue, o.held, o.draining = nil, 0, false
			o.mu.Unlock()
			return
		}
		next := o.queue[0].b
		next = next[:min(len(next), writePiece)]
		o.mu.Unlock()

		n, err := o.conn.Write(next)
		o.written.Add(1)

		o.mu.Lock()
		o.err = err
		o.queued -= n
		if first := &o.queue[0]; n == len(first.b) {
			o.held -= first.held
			*first = piece{}
			o.queue = o.queue[1:]
		} else {
			first.b = first.b[n:]
		}
		o.mu.Unlock()
		select {
		case o.progress <- struct{}{}:
		default:
		}
	}
}
