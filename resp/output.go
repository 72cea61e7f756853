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
	b     []byte // what is to be sent
	held  int    // the size of its memory
	block []byte // the block that b is in, or nil
	full  bool   // b is what write was given: nothing may be written behind it
}

// Blocks are memory that replies share. After they have been sent, and when their connection ends,
// they are used again: clients that read nothing and are closed, one after the other, would
// leave much to the collector.
type (
	block     [16 << 10]byte
	longBlock [64 << 10]byte // of a queue that is long: it needs fewer writes
)

// longQueue is the number of bytes from which a queue has long blocks.
const longQueue = 128 << 10

var (
	blocks     = sync.Pool{New: func() any { return new(block) }}
	longBlocks = sync.Pool{New: func() any { return new(longBlock) }}
)

// between is the size of a piece for the end of one large string and the header of the next.
const between = 1 << 10

// room returns an empty piece for n bytes or some of them.
func (o *output) room(n int) piece {
	last := len(o.queue) - 1
	if last >= 0 && o.queue[last].full && n <= between {
		return piece{b: make([]byte, 0, between), held: between}
	}
	var b []byte
	if last >= 0 && !o.queue[last].full && o.queued >= longQueue {
		b = longBlocks.Get().(*longBlock)[:]
	} else {
		b = blocks.Get().(*block)[:]
	}
	return piece{b: b[:0], held: len(b), block: b}
}

// putBlock lets a block be used again.
func putBlock(b []byte) {
	if len(b) == len(longBlock{}) {
		longBlocks.Put((*longBlock)(b))
		return
	}
	blocks.Put((*block)(b))
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

// write sends b, or adds it to the queue. keep lets the queue have b: then nobody may change it.
func (o *output) write(b []byte, keep bool) error {
	o.mu.Lock()
	if err := o.err; err != nil || len(b) == 0 {
		o.mu.Unlock()
		return err
	}
	sent := 0
	if !o.draining {
		var err error
		sent, err = o.try(b)
		if err != nil || sent == len(b) {
			o.err = err
			o.mu.Unlock()
			return err
		}
		o.draining = true
		o.drained.Go(o.drain)
	}
	if rest := b[sent:]; keep && len(rest) >= len(b)/4 {
		o.push(piece{b: rest, held: len(b), full: true})
	} else {
		o.copy(rest)
	}
	o.mu.Unlock()
	return o.await(o.limit)
}

// push adds a piece to the queue.
func (o *output) push(p piece) {
	o.queue = append(o.queue, p)
	o.queued += len(p.b)
	o.held += p.held
}

// copy adds a copy of b to the queue.
func (o *output) copy(b []byte) {
	for len(b) > 0 {
		if last := len(o.queue) - 1; last >= 0 && !o.queue[last].full {
			text := o.queue[last].b
			n := min(cap(text)-len(text), len(b))
			o.queue[last].b = append(text, b[:n]...) // behind what drain may be sending
			o.queued += n
			b = b[n:]
		}
		if len(b) > 0 {
			o.push(o.room(len(b)))
		}
	}
}

// pop removes the first piece of the queue.
func (o *output) pop() {
	first := o.queue[0]
	o.queue[0] = piece{}
	o.queue = o.queue[1:]
	o.held -= first.held
	if first.block != nil {
		putBlock(first.block)
	}
}

// waiting returns the number of bytes in the queue. Their memory is as much, and a block.
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
			for len(o.queue) > 0 {
				o.pop()
			}
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
			o.pop()
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
