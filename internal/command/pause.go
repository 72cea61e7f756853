package command

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// pauseMode says whose commands wait during a pause; the later ones hold for more.
type pauseMode uint8

const (
	pauseNone  pauseMode = iota
	pauseWrite           // those that may change the keyspace, or what replicas would be told
	pauseAll
)

// pause is CLIENT PAUSE: until end, in ms since the epoch, commands wait, and run in the order in which they came.
type pause struct {
	mode      pauseMode
	end       int64
	postponed []*Waiter
}

// clientPause begins a pause, or makes the one there is longer and stricter.
func clientPause(c *Ctx) reply.Value {
	if c.NArg() > 4 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLIENT HELP.", oneLine(cut(c.Args[1], 128)))
	}
	mode := pauseAll
	if c.NArg() == 4 {
		switch {
		case isToken(c.Args[3], "write"):
			mode = pauseWrite
		case !isToken(c.Args[3], "all"):
			return reply.Err("ERR CLIENT PAUSE mode must be WRITE or ALL")
		}
	}
	ms, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errTimeoutNotInt)
	case ms < 0:
		return reply.Err(errTimeoutNegative)
	}
	p := &c.Server.pause
	p.pass(c.Now())
	p.mode, p.end = max(p.mode, mode), max(p.end, ms+c.Now()) // a time that is too long is none, as in Redis
	return reply.OK()
}

// pass ends a pause whose time is over, unless commands wait that must run first.
func (p *pause) pass(now int64) {
	if now >= p.end && len(p.postponed) == 0 {
		p.mode, p.end = pauseNone, 0
	}
}

func clientUnpause(c *Ctx) reply.Value {
	c.Server.pause.mode, c.Server.pause.end = pauseNone, 0
	c.Server.resumePostponed()
	return reply.OK()
}

// postpone makes a command of a client wait for the end of the pause, if the pause is for it.
func (s *Server) postpone(sess *Session, spec *Spec, args []string) bool {
	s.pause.pass(s.Store.Now())
	switch {
	case s.pause.mode == pauseNone, sess.monitors, s.pause.mode == pauseWrite && !s.mayChange(sess, spec, args):
		return false
	}
	w := &Waiter{sess: sess, spec: spec, db: sess.DB, args: slices.Clone(args), postponed: true, Deadline: s.pause.end}
	s.count++
	s.on[w.on]++
	if !sess.shared {
		sess.waiting = w
	}
	s.pause.postponed = append(s.pause.postponed, w)
	s.began = w
	return true
}

// mayChange reports whether a command waits while only writes are paused. EXEC does when one of its commands would.
func (s *Server) mayChange(sess *Session, spec *Spec, args []string) bool {
	if spec.Name == "exec" && spec.Parent == nil {
		return slices.ContainsFunc(sess.queue, func(args []string) bool {
			return s.mayChange(sess, s.Table.Resolve(args), args)
		})
	}
	if spec.Flags&MayReplicate != 0 && spec.Categories()&CatScripting != 0 {
		switch spec.Name {
		case "eval":
			return !s.Scripts.ReadOnly(args[1], "")
		case "evalsha":
			return !s.Scripts.ReadOnly("", args[1])
		case "fcall":
			return !s.Functions.ReadOnly(args[1])
		}
	}
	return spec.Flags&(Write|MayReplicate) != 0
}

// resumePostponed lets the commands that the pause has made wait run, in order. Those for which it still holds
// are postponed anew.
func (s *Server) resumePostponed() {
	if s.Store.Now() >= s.pause.end {
		s.pause.mode, s.pause.end = pauseNone, 0
	}
	list := s.pause.postponed
	s.pause.postponed = nil
	for _, w := range list {
		if s.leave(w) {
			w.Done(reply.None())
		}
	}
}

// Postponed reports whether w is a command that has not begun: when its wait has ended it is to be run, by Resume.
func (w *Waiter) Postponed() bool { return w.postponed }

// Resume runs a command that a pause made wait, as Execute does.
func (s *Server) Resume(w *Waiter) reply.Value {
	if w.muted && !w.sess.ReplyOff {
		w.sess.SkipNext = true
	}
	return s.Execute(w.sess, DoorClient, w.args)
}
