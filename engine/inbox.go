package engine

import (
	"github.com/redmoon-lua/redmoon/internal/base/queue"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// inbox holds what a session in process has been sent and nobody has taken yet. The loop puts it in
// and never waits; the pump of the queue hands it over. The loop makes all channels and starts the
// pump, so that the receiver may be in another bubble of testing/synctest than the engine.
type inbox struct {
	q   *queue.Queue[Value]
	out chan Message // messages from the pump to the receiver; closed when the pump has ended
}

func newInbox() *inbox {
	b := &inbox{out: make(chan Message)}
	b.q = queue.New(queue.Consumer[Value]{Deliver: b.deliver, End: func() { close(b.out) }})
	return b
}

// put adds a value and returns the number of bytes that have not been received. It does not wait.
func (b *inbox) put(v Value, _ int, limit int64) (waiting int64) {
	return b.q.Put(v, v.WireSize(), limit)
}

// use returns the memory of the messages that have not been received.
func (b *inbox) use() server.ConnUse {
	if b.why() != nil {
		return server.ConnUse{}
	}
	return server.ConnUse{Waiting: b.q.Waiting()}
}

// end closes the inbox with err and drops its contents. A second call does nothing.
func (b *inbox) end(err error) { b.q.Close(err) }

// why returns the error with which the inbox was closed, or nil.
func (b *inbox) why() error { return b.q.Err() }

// deliver hands values to the receiver until the inbox is closed.
func (b *inbox) deliver(values []Value) {
	over := b.q.Over()
	for i, v := range values {
		select {
		case b.out <- newMessage(v):
		case <-over:
			return
		}
		values[i] = Value{}
		b.q.Delivered(v.WireSize())
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
		<-b.q.Done()
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
