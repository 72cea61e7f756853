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
	filled  sync.Cond // items were added, or the inbox is over
	items   []Value
	waiting int64 // bytes of items and of the messages that the pump is delivering
	err     error // why it is over, or nil
	pumping bool  // the pump has been started
}

func newInbox() *inbox {
	b := &inbox{over: make(chan struct{}), done: make(chan struct{}), out: make(chan Message)}
	b.filled.L = &b.mu
	return b
}

// put adds a value and returns the number of bytes that have not been received. It does not wait.
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

// use returns the memory of the messages that have not been received.
func (b *inbox) use() ConnUse {
	b.mu.Lock()
	defer b.mu.Unlock()
	return ConnUse{Waiting: b.waiting}
}

// end closes the inbox with err and drops its contents. A second call does nothing.
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

// why returns the error with which the inbox was closed, or nil.
func (b *inbox) why() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// pump delivers the values in order until the inbox is over.
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

// take waits for values to deliver. It returns nil if the inbox is over.
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

// endings are the errors of sessions that the server has ended, by the reason.
var endings = map[server.Ending]error{
	server.Killed: ErrSessionKilled, server.TooSlow: ErrSlowReceiver, server.Quit: ErrSessionClosed,
}

// openInbox makes a session one in process: it gets an inbox, and the server may end it.
func (e *Engine) openInbox(sess *server.Session) *inbox {
	b := newInbox()
	e.inboxes[sess] = b
	sess.SeparatePushes, sess.Receive, sess.Use = true, b.put, b.use
	sess.Kill = func(why server.Ending) {
		b.end(endings[why])
		e.over = append(e.over, sess)
	}
	return b
}

// endInboxes closes the inboxes of all sessions because the engine ends, and waits for their pumps.
func (e *Engine) endInboxes() {
	for _, b := range e.inboxes {
		b.end(ErrClosed)
		<-b.done
	}
}

// Message is a value that a session receives and that is not a reply.
type Message struct {
	// Kind is the type that Redis gives the message: "message", "pmessage" and "smessage" for
	// published messages, "invalidate" for keys of client-side caching, "monitor" for a line of
	// MONITOR.
	Kind string
	// Channel is the channel of a published message.
	Channel string
	// Pattern is the pattern of the subscription, for a pmessage.
	Pattern string
	// Payload is the published text, or the line of MONITOR.
	Payload string
	// Keys are the keys of an invalidate message; nil stands for all keys.
	Keys []string
	// Value is the whole message, as a RESP3 connection gets it.
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
