package resp

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/reply"
)

// outbox is the output queue of a connection that gets push messages: replies and messages, in the
// order in which the engine made them. The engine's loop adds values and never waits. A goroutine
// of the outbox, which starts with the first value, sends them, after the connection has sent its
// earlier replies.
//
// Invariant: once it has started, only that goroutine writes to the connection.
type outbox struct {
	c       *connection
	started atomic.Bool
	after   int64 // number of batches answered when the goroutine started; not changed after that

	mu      sync.Mutex
	changed sync.Cond // signals that a value was added, values were sent, or the outbox has ended
	items   []outItem
	waiting int64 // estimated bytes that have not been sent
	sent    int64 // bytes sent that the connection has not reported to the engine
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

// put adds a value and returns the estimated bytes that wait to be sent. It does not wait.
func (b *outbox) put(v reply.Value, proto int) (waiting int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return 0
	}
	b.items = append(b.items, outItem{v, proto})
	b.waiting += v.WireSize()
	if !b.started.Load() {
		b.after = b.c.batch.Answered()
		b.started.Store(true)
		go b.deliver()
	}
	b.changed.Broadcast()
	return b.waiting
}

// deliver sends the values until the outbox ends.
func (b *outbox) deliver() {
	defer close(b.done)
	b.mu.Lock()
	for b.c.answered.Load() < b.after && !b.ended {
		b.changed.Wait()
	}
	b.mu.Unlock()
	err := b.c.output.flush() // earlier replies
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

// await waits until at most limit bytes wait to be sent. It returns an error if the connection has
// ended, or if the peer reads nothing for the time patience (0: no limit).
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

// endIf ends the outbox if messages wait and no write has been made since the number of writes was
// writes.
func (b *outbox) endIf(writes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writes == writes && b.waiting > 0 {
		b.ended = true
		b.changed.Broadcast()
	}
}

// unsent returns the estimated bytes that wait to be sent.
func (b *outbox) unsent() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// isStarted reports whether the outbox has taken over the output of the connection.
func (b *outbox) isStarted() bool { return b.started.Load() }

// repliesSent records that the connection has sent the replies to its first n batches; before this
// call it had sent those to before batches.
func (b *outbox) repliesSent(before, n int64) {
	if b.started.Load() && before < b.after && n >= b.after {
		b.mu.Lock()
		b.changed.Broadcast()
		b.mu.Unlock()
	}
}

// takeSent returns the number of bytes sent since the last call.
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
	if b.isStarted() {
		<-b.done
	}
}
