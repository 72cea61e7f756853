package resp

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// outbox holds what a connection that receives what it did not ask for is to get, replies and messages, in the order in which the
// engine made them. The engine's loop puts it in and never waits; a goroutine of the outbox's own, which begins with the first
// value, sends it, once the connection has sent the replies that it got before.
//
// Invariant: from then on that goroutine alone writes to the connection.
type outbox struct {
	c     *connection
	begun atomic.Bool
	after int64 // how many batches were answered when it began; not changed after that

	mu      sync.Mutex
	changed sync.Cond // a value was put in, some were sent, or the outbox has ended
	items   []outItem
	waiting int64 // bytes, about, that have not been sent
	sent    int64 // bytes, of which the connection has not told the engine
	writes  int64 // number of writes so far
	ended   bool  // nothing more is sent
	done    chan struct{}
}

type outItem struct {
	v     reply.Value
	proto int
}

var errEnded = errors.New("resp: the connection has ended")

func newOutbox(c *connection) *outbox {
	b := &outbox{c: c, done: make(chan struct{})}
	b.changed.L = &b.mu
	return b
}

// put adds a value and tells how many bytes are waiting to be sent. It does not wait.
func (b *outbox) put(v reply.Value, proto int) (waiting int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return 0
	}
	b.items = append(b.items, outItem{v, proto})
	b.waiting += v.WireSize()
	if !b.begun.Load() {
		b.after = b.c.batch.Answered()
		b.begun.Store(true)
		go b.deliver()
	}
	b.changed.Broadcast()
	return b.waiting
}

// deliver sends what is put in until the outbox ends.
func (b *outbox) deliver() {
	defer close(b.done)
	b.mu.Lock()
	for b.c.settled.Load() < b.after && !b.ended {
		b.changed.Wait()
	}
	b.mu.Unlock()
	err := b.c.output.flush() // replies from before
	var buf []byte
	for {
		b.mu.Lock()
		if err != nil {
			b.ended = true
			b.changed.Broadcast()
		}
		for len(b.items) == 0 && !b.ended {
			b.changed.Wait()
		}
		if b.ended {
			b.items = nil
			b.mu.Unlock()
			return
		}
		items := b.items
		b.items = nil
		b.mu.Unlock()
		for len(items) > 0 && err == nil {
			taken := int64(0)
			for buf = buf[:0]; len(items) > 0 && len(buf) < outFlush; items = items[1:] {
				buf = Append(buf, items[0].v, items[0].proto)
				taken += items[0].v.WireSize()
				items[0] = outItem{}
			}
			_, err = b.c.nc.Write(buf)
			b.mu.Lock()
			b.waiting -= taken
			b.writes++
			b.sent += int64(len(buf))
			b.changed.Broadcast()
			b.mu.Unlock()
		}
		if cap(buf) > outKeep {
			buf = nil
		}
	}
}

// await waits until no more than limit bytes are waiting to be sent. It fails when the connection has ended, or when the peer
// reads nothing for as long as patience (0: for ever).
func (b *outbox) await(limit int64, patience time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	stop := func() {}
	defer func() { stop() }()
	for before := int64(-1); b.waiting > limit; {
		if b.ended {
			return errEnded
		}
		if patience > 0 && before != b.writes {
			writes := b.writes
			stop()
			timer := time.AfterFunc(patience, func() { b.endIf(writes) })
			stop = func() { timer.Stop() }
			before = writes
		}
		b.changed.Wait()
	}
	return nil
}

// endIf ends the outbox if messages wait and there has been no write since that many writes.
func (b *outbox) endIf(writes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writes == writes && b.waiting > 0 {
		b.ended = true
		b.changed.Broadcast()
	}
}

// unsent is how many bytes are waiting to be sent.
func (b *outbox) unsent() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// isBegun reports whether the outbox has taken over the connection's output.
func (b *outbox) isBegun() bool { return b.begun.Load() }

// settled tells that the connection has sent the replies to its first n batches, before now those to fewer.
func (b *outbox) settled(before, n int64) {
	if b.begun.Load() && before < b.after && n >= b.after {
		b.mu.Lock()
		b.changed.Broadcast()
		b.mu.Unlock()
	}
}

// takeSent tells how many bytes were sent since it was asked last.
func (b *outbox) takeSent() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.sent
	b.sent = 0
	return n
}

// end stops the goroutine, whose connection must be closed, and waits for it.
func (b *outbox) end() {
	b.mu.Lock()
	b.ended = true
	b.changed.Broadcast()
	b.mu.Unlock()
	if b.isBegun() {
		<-b.done
	}
}
