package transactioncmds

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func multi(c *server.Ctx) reply.Value {
	if c.Session.Queueing {
		return reply.Err("ERR MULTI calls can not be nested")
	}
	c.Session.Queueing, c.Session.Began = true, true
	return reply.OK()
}

func discard(c *server.Ctx) reply.Value {
	if !c.Session.Queueing {
		return reply.Err("ERR DISCARD without MULTI")
	}
	c.Server.EndMulti(c.Session)
	return reply.OK()
}

func watch(c *server.Ctx) reply.Value {
	if c.Session.Queueing {
		return reply.Err("ERR WATCH inside MULTI is not allowed")
	}
	for _, key := range c.Args[1:] {
		k := server.WatchKey{DB: c.DB, Key: key}
		if slices.ContainsFunc(c.Session.Watching, func(w *server.Watcher) bool { return w.WatchKey == k }) {
			continue
		}
		w := &server.Watcher{WatchKey: k, Sess: c.Session}
		_, w.Dead = c.DB.Has(key)
		c.Server.Clients.Watch(w)
		c.Server.Undo.NoteWatcher(w)
	}
	return reply.OK()
}

func unwatch(c *server.Ctx) reply.Value {
	c.Server.Clients.Unwatch(c.Session)
	c.Session.WatchBroken = false
	return reply.OK()
}

func exec(c *server.Ctx) reply.Value {
	sess, s := c.Session, c.Server
	if !sess.Queueing {
		return reply.Err("ERR EXEC without MULTI")
	}
	for _, w := range sess.Watching {
		if _, dead := w.DB.Has(w.Key); dead && !w.Dead {
			sess.WatchBroken = true
		}
	}
	queue, dirty, stale := sess.Queue, sess.QueueFailed, sess.WatchBroken
	s.ExecBytes = sess.QueueBytes
	s.EndMulti(sess)
	switch {
	case dirty:
		return reply.Err(errtext.ExecAbort)
	case stale:
		return reply.NilArray()
	}
	s.ExecLen, sess.InExec = len(queue), true
	defer func() { s.ExecLen, s.ExecSent, sess.InExec = 0, 0, false }()
	return runQueue(s, sess, queue)
}

// runQueue runs the commands of an EXEC.
func runQueue(s *server.Server, sess *server.Session, queue [][]string) reply.Value {
	out := make([]reply.Value, len(queue))
	var messages []pushed
	before := sess.Proto
	for i, args := range queue {
		muted := sess.ReplyOff
		out[i] = s.Execute(sess, cmdtable.DoorExec, args)
		if out[i].IsError() {
			s.Undo.CommandFailed()
		}
		if sess.Proto != before { // HELLO has changed it
			sendIn(out[:i], before)
			before = sess.Proto
		}
		if muted && sess.ReplyOff {
			out[i] = reply.None() // CLIENT REPLY OFF silences the rest of the array, as in Redis
		}
		var held []reply.Value
		if !s.Follows.Has(servers.RepliesFirst) {
			held = s.Undo.TakeHeld()
		}
		if len(held)+len(sess.OwnPushes)+len(sess.AfterReply) > 0 {
			messages = append(messages, pushed{i, sess.Proto, held, sess.OwnPushes, sess.AfterReply})
			sess.OwnPushes, sess.AfterReply = nil, nil
		}
	}
	last := sess.AfterAll
	sess.AfterAll = nil
	for _, m := range messages {
		m.join(s, sess, &out[m.command])
	}
	sess.AfterAll = last
	return reply.Array(out...)
}

// pushed is what a command of an EXEC has pushed to its own session.
type pushed struct {
	command int           // index of the command
	proto   int           // protocol of the session then
	held    []reply.Value // not sent if the EXEC is undone

	before, after []reply.Value // of the reply
}

// join puts the messages before and after the reply of their command.
func (p *pushed) join(s *server.Server, sess *server.Session, v *reply.Value) {
	if s.Undo.Fails() {
		p.held = nil
	}
	sess.OwnPushes, sess.AfterReply = append(p.held, p.before...), p.after
	if len(sess.OwnPushes)+len(sess.AfterReply) == 0 {
		return
	}
	*v = sess.TakePushed(*v)
	if p.proto != sess.Proto {
		*v = v.In(v.Proto(p.proto))
	}
}

// sendIn fixes the protocol of replies that were made before the protocol changed.
func sendIn(replies []reply.Value, proto int) {
	for i, v := range replies {
		replies[i] = v.In(v.Proto(proto))
	}
}
