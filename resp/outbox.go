package resp

import (
	"errors"
	"io"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/base/queue"
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
	q     *queue.Queue[outItem] // counts the bytes that have not been sent
	after int64                 // number of batches answered when the pump started; not changed after that
	begun bool                  // of the pump: earlier replies have been sent
	buf   []byte                // of the pump

	mu      sync.Mutex
	changed sync.Cond // signals that values were sent, replies were sent, or the outbox has ended
	sent    int64     // bytes sent that the connection has not reported to the engine
	total   int64     // all bytes sent
	writes  int64     // number of writes so far
}

// outItem is one of three: small values that have been encoded, one large value, or a function.
type outItem struct {
	text  []byte // the last item's grows, so that small values share memory
	v     reply.Value
	proto int
	size  int64                                   // of v
	send  func(w io.Writer, over <-chan struct{}) // writes all that follows
}

// Sizes of what waits in an outbox.
const (
	leastText = 512      // first memory of encoded values
	mostText  = 16 << 10 // greatest one that values share
	aloneText = 4 << 10  // least size of a text that is written without others
	// A value is encoded when it is put if it is not longer than mostValue, or its parts are on
	// average shorter than smallPart. Others are shared by all who get them, and encoded by the pump.
	mostValue = 1 << 10
	smallPart = 256
	longValue = 64 << 10 // from here on the pump encodes every value
)

// valueSize is the memory of a Value, without its string.
const valueSize = int64(unsafe.Sizeof(reply.Value{}))

// countValues returns the number of values in v, with v.
func countValues(v reply.Value) int64 {
	n := int64(1)
	for _, e := range v.Slice() {
		n += countValues(e)
	}
	return n
}

var errEnded = errors.New("resp: the connection has ended")

func newOutbox(c *connection) *outbox {
	b := &outbox{c: c}
	b.changed.L = &b.mu
	b.q = queue.New(queue.Consumer[outItem]{Start: b.start, Deliver: b.deliver})
	return b
}

// put adds a value and returns the bytes that wait to be sent; those of a large value are
// estimated. It does not wait. If the bytes reach limit (0: no limit), nothing more is sent, and
// the caller ends the connection.
func (b *outbox) put(v reply.Value, proto int, limit int64) (waiting int64) {
	waiting = b.add(v, proto, limit)
	if limit > 0 && waiting >= limit {
		b.close() // whoever waits for what will not be sent must not
	}
	return waiting
}

// add adds a value for put.
//
// A small message would take several times its bytes as a value: its parts, and the item. A client
// that reads nothing would make the server hold more than client-output-buffer-limit says.
func (b *outbox) add(v reply.Value, proto int, limit int64) (waiting int64) {
	size := v.WireSize()
	if size > mostValue {
		if n := countValues(v); size >= longValue || size >= n*smallPart {
			size += n * valueSize
			return b.q.Put(outItem{v: v, proto: proto, size: size}, size, limit)
		}
	}
	return b.q.Add(limit, func(items []outItem) ([]outItem, int64) {
		need := int(2 * size) // the bytes of a value are fewer
		last := len(items) - 1
		if last < 0 || cap(items[last].text)-len(items[last].text) < need {
			room := leastText
			if last >= 0 {
				room = min(max(room, 2*cap(items[last].text)), mostText)
			}
			if need > mostText/4 {
				text := encode(v, proto)
				return append(items, outItem{text: text}), int64(len(text))
			}
			items = append(items, outItem{text: make([]byte, 0, max(room, need))})
			last++
		}
		text := Append(items[last].text, v, proto)
		n := int64(len(text) - len(items[last].text))
		items[last].text = text
		return items, n
	})
}

// scratch has memory for encode.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// encode returns the bytes of v in memory of their size.
func encode(v reply.Value, proto int) []byte {
	b := scratch.Get().(*[]byte)
	defer scratch.Put(b)
	*b = Append((*b)[:0], v, proto)
	return slices.Clone(*b)
}

// takeOver lets send write to the connection when everything before has been sent. The connection
// is closed when send returns. It does not wait.
func (b *outbox) takeOver(send func(w io.Writer, over <-chan struct{})) {
	b.q.Put(outItem{send: send}, 0, 0)
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
		if send := items[0].send; send != nil {
			send(b.c.nc, b.q.Over())
			_ = b.c.nc.Close()
			b.close()
			return
		}
		text := items[0].text
		n, taken := 1, int64(len(text))
		if len(text) < aloneText && len(items) > 1 || text == nil {
			text, n, taken = b.collect(items)
		}
		var err error
		if len(text) > 0 {
			_, err = b.c.nc.Write(text)
		}
		clear(items[:n])
		items = items[n:]
		b.wrote(taken, int64(len(text)))
		if err != nil {
			b.close()
			return
		}
	}
	if cap(b.buf) > outKeep {
		b.buf = nil
	}
}

// collect returns the bytes of the first n items, which counted as taken bytes. They are valid
// until the next call.
func (b *outbox) collect(items []outItem) (buf []byte, n int, taken int64) {
	buf = b.buf[:0]
	for n < len(items) && items[n].send == nil && len(buf) < outFlush {
		if it := &items[n]; it.text != nil {
			buf = append(buf, it.text...)
			taken += int64(len(it.text))
		} else {
			buf = Append(buf, it.v, it.proto)
			taken += it.size
		}
		n++
	}
	b.buf = buf
	return buf, n, taken
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
	b.total += n
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

// unsent returns the bytes that wait to be sent.
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

// sentInAll returns the number of all bytes that the outbox has sent.
func (b *outbox) sentInAll() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total
}

// end stops the pump, whose connection must be closed, and waits for it.
func (b *outbox) end() {
	b.close()
	<-b.q.Done()
}
