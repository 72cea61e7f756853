package recording

import (
	"compress/flate"
	"errors"
)

// ofConnection returns the event of a line about a connection, or none for a piece.
func (r *Reader) ofConnection(ev Event, l *line) (Event, error) {
	c := r.conns[l.C]
	if l.Open != nil {
		if c != nil || l.C < 1 {
			return Event{}, r.damage("connection %d cannot be opened", l.C)
		}
		if len(r.conns) >= maxConns {
			return Event{}, r.damage("more than %d connections are open", maxConns)
		}
		r.conns[l.C] = &conn{}
		ev.Kind, ev.Addr = Open, *l.Open
		return ev, nil
	}
	switch {
	case c == nil:
		return Event{}, r.damage("connection %d is not open", l.C)
	case l.Close != nil:
		delete(r.conns, l.C)
		r.pending -= c.request.held + int64(c.reply.text.Len()+c.push.text.Len())
		ev.Kind, ev.Why = Close, *l.Close
		return ev, nil
	case l.Unparsed != nil:
		c.unparsed = true
		ev.Kind, ev.Why = Unparsed, *l.Unparsed
		return ev, nil
	case l.Push != nil:
		return r.push(ev, c, l)
	case l.Request != nil:
		return r.request(ev, c, l)
	case l.Reply != nil, l.Silent:
		return r.reply(ev, c, l)
	}
	return Event{}, r.damage(
		"it has none of open, request, reply, silent, push, unparsed, close, script and end",
	)
}

// hold counts n more bytes of pieces.
func (r *Reader) hold(n int64) error {
	if r.pending += n; r.pending > MaxPending {
		return r.damage(
			"requests and replies that are not complete have more than %d bytes",
			MaxPending,
		)
	}
	return nil
}

func (r *Reader) request(ev Event, c *conn, l *line) (Event, error) {
	q := &c.request
	switch {
	case l.N != c.asked+1:
		return Event{}, r.damage(
			"request %d of connection %d follows request %d",
			l.N,
			l.C,
			c.asked,
		)
	case c.unparsed:
		return Event{}, r.damage("connection %d is not recorded any more", l.C)
	case len(l.Request) == 0:
		return Event{}, r.damage("the request has no arguments")
	}
	before := q.size
	for i := range l.Request {
		v := &l.Request[i]
		text := v.text
		if v.script != "" {
			var ok bool
			if text, ok = r.Script(v.script); !ok {
				return Event{}, r.damage("there is no script %.40q before it", v.script)
			}
		}
		if q.size += int64(len(text)) + argSize; q.size > MaxPending {
			return Event{}, r.damage("the request has more than %d bytes", MaxPending)
		}
		if i == 0 && q.more {
			q.last.WriteString(text)
			continue
		}
		q.endLast()
		if v.redacted {
			text = Redacted
			q.redacted = append(q.redacted, len(q.args))
		}
		q.args = append(q.args, text)
	}
	if l.More {
		if !q.joined {
			last := len(q.args) - 1
			q.last.WriteString(q.args[last])
			q.args, q.joined = q.args[:last], true
		}
		q.more = true
		q.held += q.size - before
		return Event{}, r.hold(q.size - before)
	}
	q.endLast()
	r.pending -= q.held
	c.asked++
	ev.Kind, ev.Args, ev.Redacted = Request, q.args, q.redacted
	c.request = request{}
	return ev, nil
}

// argSize is about what an argument takes besides its bytes.
const argSize = 32

func (r *Reader) reply(ev Event, c *conn, l *line) (Event, error) {
	p := &c.reply
	if l.N != c.answered+1 || l.N > c.asked {
		return Event{}, r.damage(
			"reply %d of connection %d follows reply %d; there are %d requests",
			l.N,
			l.C,
			c.answered,
			c.asked,
		)
	}
	if l.Silent {
		if p.more {
			return Event{}, r.damage("reply %d of connection %d has begun", l.N, l.C)
		}
		c.answered++
		ev.Kind = Silent
		return ev, nil
	}
	first := !p.more
	done, err := r.piece(p, &ev, l.Reply, l.More)
	switch {
	case err != nil:
		return Event{}, err
	case done:
		c.answered++
		ev.Kind, ev.Hidden = Reply, l.Reply.redacted
		if l.SHA256 != "" {
			if l.Size < int64(len(ev.Raw)) {
				return Event{}, r.damage(
					"reply %d of connection %d is longer than its size",
					l.N,
					l.C,
				)
			}
			ev.Cut = &Cut{Size: l.Size, SHA256: l.SHA256}
		}
		return ev, nil
	case first:
		ev.Kind = ReplyBegins
		return ev, nil
	}
	return Event{}, nil
}

func (r *Reader) push(ev Event, c *conn, l *line) (Event, error) {
	done, err := r.piece(&c.push, &ev, l.Push, l.More)
	if err != nil || !done {
		return Event{}, err
	}
	ev.Kind = Push
	return ev, nil
}

// piece adds a piece. If it is the last, it sets the bytes of ev, and the number and time of the
// first line.
func (r *Reader) piece(p *pieces, ev *Event, v *value, more bool) (done bool, err error) {
	if v.script != "" || v.redacted && (more || p.more) {
		return false, r.damage("it has the form of an argument")
	}
	if !p.more {
		p.seq, p.at = ev.Seq, ev.At
	}
	if more || p.more {
		p.text.WriteString(v.text)
		err = r.hold(int64(len(v.text)))
	}
	if more || err != nil {
		p.more = true
		return false, err
	}
	ev.Raw, ev.Seq, ev.At = v.text, p.seq, p.at
	if p.more {
		ev.Raw = p.text.String()
		r.pending -= int64(len(ev.Raw))
	}
	*p = pieces{}
	return true, nil
}

// isCorrupt reports whether err is that of damaged compressed data.
func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	return errors.As(err, &corrupt) || errors.As(err, &internal)
}
