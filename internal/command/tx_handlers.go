package command

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func multi(c *Ctx) reply.Value {
	if c.Session.inMulti {
		return reply.Err("ERR MULTI calls can not be nested")
	}
	c.Session.inMulti = true
	return reply.OK()
}

func discard(c *Ctx) reply.Value {
	if !c.Session.inMulti {
		return reply.Err("ERR DISCARD without MULTI")
	}
	c.Server.endMulti(c.Session)
	return reply.OK()
}

func watch(c *Ctx) reply.Value {
	if c.Session.inMulti {
		return reply.Err("ERR WATCH inside MULTI is not allowed")
	}
	for _, key := range c.Args[1:] {
		k := watchKey{c.DB, key}
		if slices.ContainsFunc(c.Session.watching, func(w *watcher) bool { return w.watchKey == k }) {
			continue
		}
		w := &watcher{watchKey: k, sess: c.Session}
		_, w.dead = c.DB.Has(key)
		c.Session.watching = append(c.Session.watching, w)
		c.Server.watched[k] = append(c.Server.watched[k], w)
	}
	return reply.OK()
}

func unwatch(c *Ctx) reply.Value {
	c.Server.unwatch(c.Session)
	c.Session.stale = false
	return reply.OK()
}

func exec(c *Ctx) reply.Value {
	sess, s := c.Session, c.Server
	if !sess.inMulti {
		return reply.Err("ERR EXEC without MULTI")
	}
	for _, w := range sess.watching {
		if _, dead := w.db.Has(w.key); dead && !w.dead {
			sess.stale = true
		}
	}
	queue, dirty, stale := sess.queue, sess.dirty, sess.stale
	s.execBytes = sess.queueBytes
	s.endMulti(sess)
	switch {
	case dirty:
		return reply.Err(errExecAbort)
	case stale:
		return reply.NilArray()
	}
	out := make([]reply.Value, len(queue))
	s.execLen, sess.inExec = len(queue), true
	defer func() { sess.inExec = false }()
	before := sess.Proto
	for i, args := range queue {
		muted := sess.ReplyOff
		out[i] = s.Execute(sess, DoorExec, args)
		if sess.Proto != before { // HELLO has changed it
			sendIn(out[:i], before)
			before = sess.Proto
		}
		if muted && sess.ReplyOff {
			out[i] = reply.None() // CLIENT REPLY OFF silences the rest of the array, as in Redis
		}
		if len(sess.early)+len(sess.behind) > 0 {
			out[i] = sess.takePushed(out[i])
		}
	}
	return reply.Array(out...)
}

// sendIn makes sure that replies are sent in a protocol that is about to change.
func sendIn(replies []reply.Value, proto int) {
	for i, v := range replies {
		replies[i] = v.In(v.Proto(proto))
	}
}

// endMulti leaves the transaction state and drops the watches.
func (s *Server) endMulti(sess *Session) {
	sess.inMulti, sess.queue, sess.queueBytes, sess.dirty, sess.stale = false, nil, 0, false, false
	s.unwatch(sess)
}

// unwatch forgets every watched key of a session.
func (s *Server) unwatch(sess *Session) {
	for _, w := range sess.watching {
		k := w.watchKey
		list := slices.DeleteFunc(s.watched[k], func(x *watcher) bool { return x == w })
		if len(list) == 0 {
			delete(s.watched, k)
		} else {
			s.watched[k] = list
		}
	}
	sess.watching = nil
}
