package engine

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// inbox holds what a session in process has been sent and nobody has taken yet. The loop puts it in
// and never waits; a goroutine of the inbox's own, the pump, hands it over. The loop makes all
// channels and starts the pump, so that the receiver may be in another bubble of testing/synctest
// than the engine.
//
// Invariant: the pump waits for nothing once over is closed.
type inbox struct {
	over chan struct{} // closed by end
	done chan struct{} // closed when the pump has ended
	out  chan Message  // messages from the pump to the receiver; closed when the pump has ended

	mu      sync.Mutex
	filled  sync.Cond // something was put in, or it is over
	items   []Value
	waiting int64 // bytes of items and of what the pump is handing over
	err     error // why it is over; nil: it is not
	pumping bool  // the pump has been started
}

func newInbox() *inbox {
	b := &inbox{over: make(chan struct{}), done: make(chan struct{}), out: make(chan Message)}
	b.filled.L = &b.mu
	return b
}

// put adds a value and tells how many bytes are waiting to be taken. It does not wait.
func (b *inbox) put(v Value, _ int) (waiting int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0
	}
	b.items = append(b.items, v)
	b.waiting += v.WireSize()
	if !b.pumping {
		b.pumping = true
		go b.pump()
	}
	b.filled.Signal()
	return b.waiting
}

// use tells what is waiting.
func (b *inbox) use() ConnUse {
	b.mu.Lock()
	defer b.mu.Unlock()
	return ConnUse{Waiting: b.waiting}
}

// end makes the inbox be over, because of err; what is in it is dropped. A second call does
// nothing.
func (b *inbox) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err, b.items, b.waiting = err, nil, 0
	close(b.over)
	b.filled.Signal()
	if !b.pumping {
		close(b.out)
		close(b.done)
	}
}

// why tells the reason why the inbox is over; nil: it is not.
func (b *inbox) why() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// pump hands over what is put in, in order, until the inbox is over.
func (b *inbox) pump() {
	defer close(b.done)
	defer close(b.out)
	for {
		items := b.take()
		if items == nil {
			return
		}
		for i, v := range items {
			select {
			case b.out <- newMessage(v):
			case <-b.over:
				return
			}
			items[i] = Value{}
			b.taken(v)
		}
	}
}

// take waits for something to hand over; nil says that it is over.
func (b *inbox) take() []Value {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 && b.err == nil {
		b.filled.Wait()
	}
	items := b.items
	b.items = nil
	return items
}

func (b *inbox) taken(v Value) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.waiting -= v.WireSize()
	}
}

// endings are the errors of sessions that the server has ended.
var endings = map[server.Ending]error{
	server.Killed: ErrSessionKilled, server.TooSlow: ErrSlowReceiver, server.Quit: ErrSessionClosed,
}

// openInbox makes a session one in process: it gets an inbox, and may be ended by the server.
func (e *Engine) openInbox(sess *server.Session) *inbox {
	b := newInbox()
	e.inboxes[sess] = b
	sess.Apart, sess.Receive, sess.Use = true, b.put, b.use
	sess.Kill = func(why server.Ending) {
		b.end(endings[why])
		e.over = append(e.over, sess)
	}
	return b
}

// endInboxes ends the inboxes of all sessions with the engine, and waits for their pumps.
func (e *Engine) endInboxes() {
	for _, b := range e.inboxes {
		b.end(ErrClosed)
		<-b.done
	}
}

// Message is what a session is sent without having asked for it just then.
type Message struct {
	// Kind is Redis's word: "message", "pmessage" and "smessage" for what is published, "invalidate"
	// for keys of client-side caching, "monitor" for a line of MONITOR.
	Kind string
	// Channel is where it was published.
	Channel string
	// Pattern is the subscription that the channel matches, of a pmessage.
	Pattern string
	// Payload is what was published, or the line of MONITOR.
	Payload string
	// Keys are the keys of an invalidate; nil stands for all keys.
	Keys []string
	// Value is the whole, as a connection in RESP3 gets it.
	Value Value
}

func newMessage(v Value) Message {
	if v.Kind() == reply.KindStatus {
		return Message{Kind: "monitor", Payload: v.Text(), Value: v}
	}
	els := v.Slice()
	text := func(i int) string {
		if i < len(els) {
			return els[i].Text()
		}
		return ""
	}
	m := Message{Kind: text(0), Value: v}
	switch m.Kind {
	case "message", "smessage":
		m.Channel, m.Payload = text(1), text(2)
	case "pmessage":
		m.Pattern, m.Channel, m.Payload = text(1), text(2), text(3)
	case "invalidate":
		if len(els) > 1 && !els[1].IsNil() {
			m.Keys = els[1].Strings()
		}
	}
	return m
}
