package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// pauseMode says whose commands wait during a pause. A later mode stops more commands.
type pauseMode uint8

const (
	PauseNone  pauseMode = iota
	PauseWrite           // commands that may change the keyspace or that replicas would receive
	PauseAll
)

// pause is the state of CLIENT PAUSE. Until end, in ms since the epoch, commands wait; then they
// run in the order in which they came.
type pause struct {
	Mode      pauseMode
	End       int64
	postponed []*BlockedClient
}

// Pass ends a pause whose time is over, unless waiting commands must run first.
func (p *pause) Pass(now int64) {
	if now >= p.End && len(p.postponed) == 0 {
		p.Mode, p.End = PauseNone, 0
	}
}

// postpone makes a client's command wait for the end of the pause, if the pause applies to it.
func (s *Server) postpone(sess *Session, spec *cmdtable.Spec, args []string) bool {
	s.Pause.Pass(s.Store.Now())
	switch {
	case s.Pause.Mode == PauseNone, sess.Monitors, s.Pause.Mode == PauseWrite && !s.mayChange(sess, spec, args):
		return false
	}
	w := &BlockedClient{Sess: sess, Spec: spec, db: sess.DB, Args: slices.Clone(args), Delayed: true, Deadline: s.Pause.End}
	s.waiterCount++
	s.waitersByType[w.On]++
	if !sess.shared {
		sess.Waiting = w
	}
	s.Pause.postponed = append(s.Pause.postponed, w)
	s.Blocked = w
	return true
}

// mayChange reports whether a command waits while only writes are paused. EXEC waits if one of its
// commands would.
func (s *Server) mayChange(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if spec.Name == "exec" && spec.Parent == nil {
		return slices.ContainsFunc(sess.Queue, func(args []string) bool {
			return s.mayChange(sess, s.Table.Resolve(args), args)
		})
	}
	if spec.Flags&cmdtable.MayReplicate != 0 && spec.Runs != cmdtable.RunsNoScript {
		return !s.scriptFlags(spec, args).NoWrites
	}
	return spec.Flags&(cmdtable.Write|cmdtable.MayReplicate) != 0
}

// ResumePostponed ends the waits of the postponed commands, in order. Those to which the pause
// still applies are postponed again.
func (s *Server) ResumePostponed() {
	if s.Store.Now() >= s.Pause.End {
		s.Pause.Mode, s.Pause.End = PauseNone, 0
	}
	list := s.Pause.postponed
	s.Pause.postponed = nil
	for _, w := range list {
		if s.leave(w) {
			w.Done(reply.None())
		}
	}
}

// Postponed reports whether w is a command that has not begun. When its wait has ended, Resume must
// run it.
func (w *BlockedClient) Postponed() bool { return w.Delayed }

// Resume runs a postponed command as Execute does.
func (s *Server) Resume(w *BlockedClient) reply.Value {
	if w.muted && !w.Sess.ReplyOff {
		w.Sess.SkipNext = true
	}
	return s.Execute(w.Sess, cmdtable.DoorClient, w.Args)
}
