package resp

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/queue"
	"github.com/redmoon-lua/redmoon/reply"
)

// outbox is the output queue of a connection that gets push messages: replies and messages, in the
// order in which the engine made them. The engine's loop adds values and never waits. The pump of
// the queue, which starts with the first value, sends them, after the connection has sent its
// earlier replies.
//
// Invariant: once it has started, only the pump writes to the connection.
type outbox struct {
	c     *connection
	q     *queue.Queue[outItem] // counts the estimated bytes that have not been sent
	after int64                 // number of batches answered when the pump started; not changed after that
	begun bool                  // of the pump: earlier replies have been sent
	buf   []byte                // of the pump

	mu      sync.Mutex
	changed sync.Cond // signals that values were sent, replies were sent, or the outbox has ended
	sent    int64     // bytes sent that the connection has not reported to the engine
	writes  int64     // number of writes so far
}

type outItem struct {
	v     reply.Value
	proto int
	send  func(w io.Writer, over <-chan struct{}) // instead of v: writes all that follows
}

var errEnded = errors.New("resp: the connection has ended")

func newOutbox(c *connection) *outbox {
	b := &outbox{c: c}
	b.changed.L = &b.mu
	b.q = queue.New(queue.Consumer[outItem]{Start: b.start, Deliver: b.deliver})
	return b
}

// put adds a value and returns the estimated bytes that wait to be sent. It does not wait.
func (b *outbox) put(v reply.Value, proto int) (waiting int64) {
	return b.q.Put(outItem{v: v, proto: proto}, v.WireSize())
}

// takeOver lets send write to the connection when everything before has been sent. The connection
// is closed when send returns. It does not wait.
func (b *outbox) takeOver(send func(w io.Writer, over <-chan struct{})) {
	b.q.Put(outItem{send: send}, 0)
}

func (b *outbox) start() { b.after = b.c.batch.Answered() }

// deliver sends values.
func (b *outbox) deliver(items []outItem) {
	if !b.begun {
		b.begun = true
		if b.sendEarlier() != nil {
			b.close()
			return
		}
	}
	for len(items) > 0 {
		buf, taken := b.buf[:0], int64(0)
		if send := items[0].send; send != nil {
			send(b.c.nc, b.q.Over())
			_ = b.c.nc.Close()
			b.close()
			return
		}
		for ; len(items) > 0 && items[0].send == nil && len(buf) < outFlush; items = items[1:] {
			buf = Append(buf, items[0].v, items[0].proto)
			taken += items[0].v.WireSize()
			items[0] = outItem{}
		}
		_, err := b.c.nc.Write(buf)
		b.buf = buf
		b.wrote(taken, int64(len(buf)))
		if err != nil {
			b.close()
			return
		}
	}
	if cap(b.buf) > outKeep {
		b.buf = nil
	}
}

// sendEarlier waits until the replies before the first value have been sent.
func (b *outbox) sendEarlier() error {
	b.mu.Lock()
	for b.c.answered.Load() < b.after && b.q.Err() == nil {
		b.changed.Wait()
	}
	b.mu.Unlock()
	return b.c.output.flush()
}

// wrote records a write of values that counted as taken bytes.
func (b *outbox) wrote(taken, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.q.Delivered(taken)
	b.writes++
	b.sent += n
	b.changed.Broadcast()
}

// close lets nothing more be sent. It does not wait.
func (b *outbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.q.Close(errEnded)
	b.changed.Broadcast()
}

// await waits until at most limit bytes wait to be sent. It returns an error if the connection has
// ended, or if the peer reads nothing for the time patience (0: no limit).
func (b *outbox) await(limit int64, patience time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	stop := func() {}
	defer func() { stop() }()
	for before := int64(-1); b.q.Waiting() > limit; {
		if err := b.q.Err(); err != nil {
			return err
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
	if b.writes == writes && b.q.Waiting() > 0 {
		b.q.Close(errEnded)
		b.changed.Broadcast()
	}
}

// unsent returns the estimated bytes that wait to be sent.
func (b *outbox) unsent() int64 { return b.q.Waiting() }

// isStarted reports whether the outbox has taken over the output of the connection.
func (b *outbox) isStarted() bool { return b.q.Started() }

// repliesSent records that the connection has sent the replies to its first n batches; before this
// call it had sent those to before batches.
func (b *outbox) repliesSent(before, n int64) {
	if b.q.Started() && before < b.after && n >= b.after {
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

// end stops the pump, whose connection must be closed, and waits for it.
func (b *outbox) end() {
	b.close()
	<-b.q.Done()
}
