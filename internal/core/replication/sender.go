package replication

import (
	"io"
	"math"
	"sync"
	"sync/atomic"
)

// Sizes of a sender's output.
const (
	sendPiece = 64 << 10 // bytes that a sender takes at a time
	paceHigh  = 1 << 20  // bytes of a copy that wait for a replica before the copy waits
	paceLow   = 256 << 10
)

// sender writes to the connection of a replica, on a goroutine of its own: first parts, which are
// the answer to PSYNC and the copy, then the stream. The loop adds to it and never waits.
type sender struct {
	total *atomic.Int64 // bytes sent to all replicas
	// low is called on the sender's goroutine when few bytes of the copy wait.
	low func()

	mu      sync.Mutex
	parts   []part
	waiting int64    // bytes of parts in memory
	paced   bool     // waiting has been above paceHigh
	log     *backlog // of the stream
	pos     position // where the stream continues, if hasPos
	hasPos  bool
	flowing bool // the stream follows the parts

	wake  chan struct{} // holds one; signals that there is more to send
	acted atomic.Int64  // number of writes to the connection that have ended
	busy  atomic.Bool   // there is something to send that has not been sent
	// end of what has been sent of the stream, as offset; before the first byte: the offset before it
	streamed atomic.Int64
}

// part is something to send before the stream.
type part struct {
	bytes []byte
	file  *sharedFile // instead of bytes: this file, size bytes
	size  int64
	sent  func() // called on the sender's goroutine after the part; optional
}

// sharedFile is a file that several senders read. The last one that releases it closes it.
type sharedFile struct {
	File
	users atomic.Int32
}

func (f *sharedFile) release() {
	if f.users.Add(-1) == 0 {
		_ = f.Close()
	}
}

func newSender(total *atomic.Int64, low func()) *sender {
	return &sender{total: total, low: low, wake: make(chan struct{}, 1)}
}

// poke wakes the sender.
func (s *sender) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// add appends a part. The bytes belong to the sender, but are not changed, so that several senders
// may share them.
func (s *sender) add(p part) (waiting int64) {
	s.mu.Lock()
	s.parts = append(s.parts, p)
	s.waiting += int64(len(p.bytes))
	s.paced = s.paced || s.waiting > paceHigh
	waiting = s.waiting
	s.busy.Store(true)
	s.mu.Unlock()
	s.poke()
	return waiting
}

// inMemory returns the number of bytes of parts that wait.
func (s *sender) inMemory() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// isPaced reports whether the copy must wait for the replica.
func (s *sender) isPaced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paced
}

// hold sets where the stream will continue: behind offset. The blocks from there on are kept.
func (s *sender) hold(log *backlog, offset int64) {
	pos := log.at(offset + 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.log, s.pos, s.hasPos = log, pos, true
	s.streamed.Store(offset)
}

// holdAs is hold for the place at which another sender, which has not begun, continues.
func (s *sender) holdAs(o *sender) {
	o.mu.Lock()
	log, pos, at := o.log, o.log.again(o.pos), o.streamed.Load()
	o.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.log, s.pos, s.hasPos = log, pos, true
	s.streamed.Store(at)
}

// release ends the hold of pos. The caller has mu.
func (s *sender) release() {
	if s.hasPos {
		s.log.release(s.pos)
	}
	s.log, s.pos, s.hasPos = nil, position{}, false
}

// flow lets the stream follow the parts.
func (s *sender) flow() {
	s.mu.Lock()
	s.flowing = true
	s.busy.Store(true)
	s.mu.Unlock()
	s.poke()
}

// more notes that the stream has grown.
func (s *sender) more() {
	s.busy.Store(true)
	s.poke()
}

// run sends until over is closed or the connection fails.
func (s *sender) run(w io.Writer, over <-chan struct{}) {
	defer s.drop()
	var list [][]byte
	for {
		var p part
		var is, stream bool
		list, p, is, stream = s.next(list[:0])
		var err error
		switch {
		case is && p.file != nil:
			err = s.sendFile(w, p)
		case is:
			err = s.write(w, p.bytes)
		case stream:
			for _, b := range list {
				if err = s.write(w, b); err != nil {
					break
				}
				s.streamed.Add(int64(len(b)))
			}
			clear(list)
		default:
			select {
			case <-s.wake:
			case <-over:
				return
			}
			continue
		}
		if err != nil {
			return
		}
		if is {
			s.done(p)
		}
		select {
		case <-over:
			return
		default:
		}
	}
}

// next returns the next part or, if the stream has begun, some of its bytes.
func (s *sender) next(list [][]byte) (_ [][]byte, p part, isPart, isStream bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parts) > 0 {
		p, s.parts[0] = s.parts[0], part{}
		s.parts = s.parts[1:]
		return list, p, true, false
	}
	if s.flowing && s.hasPos {
		s.busy.Store(false) // before the look: what comes after it sets busy again
		list, s.pos = s.log.read(list, s.pos, sendPiece)
		if len(list) > 0 {
			s.busy.Store(true)
			return list, p, false, true
		}
		return list, p, false, false
	}
	s.busy.Store(false)
	return list, p, false, false
}

// done accounts for a part that has been sent.
func (s *sender) done(p part) {
	if p.sent != nil {
		p.sent()
	}
	s.mu.Lock()
	s.waiting -= int64(len(p.bytes))
	low := s.paced && s.waiting < paceLow
	if low {
		s.paced = false
	}
	s.mu.Unlock()
	if low && s.low != nil {
		s.low()
	}
}

// write writes bytes, in pieces so that progress is seen.
func (s *sender) write(w io.Writer, b []byte) error {
	for len(b) > 0 {
		n, err := w.Write(b[:min(len(b), sendPiece)])
		s.acted.Add(1)
		s.total.Add(int64(n))
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (s *sender) sendFile(w io.Writer, p part) error {
	defer p.file.release()
	buf := make([]byte, sendPiece)
	for at := int64(0); at < p.size; {
		n, err := p.file.ReadAt(buf[:min(int64(len(buf)), p.size-at)], at)
		if n == 0 {
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if err := s.write(w, buf[:n]); err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

// drop frees what the sender has not sent. Nothing more is sent.
func (s *sender) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		if p.file != nil {
			p.file.release()
		}
	}
	s.parts, s.waiting, s.flowing = nil, 0, false
	s.release()
	s.streamed.Store(math.MaxInt64 / 2) // nothing waits any more
}
