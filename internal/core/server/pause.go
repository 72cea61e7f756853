package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// pauseMode says whose commands wait during a pause. A later mode stops more commands.
type pauseMode uint8

const (
	PauseNone  pauseMode = iota
	PauseWrite           // commands that may change the keyspace or that replicas would receive
	PauseAll
)

// PausePurpose says who has begun a pause. The pauses of several purposes hold together: the
// strictest mode counts.
type PausePurpose uint8

// The purposes.
const (
	PauseByClient    PausePurpose = iota // CLIENT PAUSE
	PauseForShutdown                     // SHUTDOWN waits for replicas
	PauseForFailover                     // FAILOVER waits for the replica
	pausePurposes
)

// pause is the state of all pauses. Until End, in ms since the epoch, commands wait; then they
// run in the order in which they came. The keyspace does not change in that time: nothing expires
// and nothing is evicted.
type pause struct {
	Mode      pauseMode
	End       int64
	parts     [pausePurposes]pausePart
	postponed []*BlockedClient
	resumed   []func() // called once when commands may have to run
}

// pausePart is the pause for one purpose.
type pausePart struct {
	mode pauseMode
	end  int64
}

// PauseClients begins a pause until end, in ms since the epoch, or makes the present one for that
// purpose longer and stricter.
func (s *Server) PauseClients(purpose PausePurpose, mode pauseMode, end int64) {
	s.passPause()
	part := &s.Pause.parts[purpose]
	part.mode, part.end = max(part.mode, mode), max(part.end, end)
	s.updatePause()
}

// UnpauseClients ends the pause for a purpose. Commands run unless another pause holds them.
func (s *Server) UnpauseClients(purpose PausePurpose) {
	if s.Pause.parts[purpose].mode == PauseNone {
		return
	}
	s.Pause.parts[purpose] = pausePart{}
	s.resumePostponed()
}

// paused reports whether a pause lasts.
func (s *Server) paused() bool {
	s.passPause()
	return s.Pause.Mode != PauseNone
}

// passPause forgets the pauses whose time is over, unless waiting commands must run first.
func (s *Server) passPause() {
	if p := &s.Pause; p.Mode != PauseNone && s.Store.Now() >= p.End && len(p.postponed) == 0 {
		s.updatePause()
	}
}

// updatePause makes the strictest pause whose time is not over the present one.
func (s *Server) updatePause() {
	p := &s.Pause
	p.Mode, p.End = PauseNone, 0
	for i := range p.parts {
		part := &p.parts[i]
		switch {
		case part.end <= s.Store.Now():
			*part = pausePart{}
		case part.mode > p.Mode:
			p.Mode, p.End = part.mode, part.end
		case part.mode == p.Mode:
			p.End = max(p.End, part.end)
		}
	}
	frozen := int64(0)
	for _, part := range p.parts {
		frozen = max(frozen, part.end)
	}
	s.Store.Freeze(frozen)
}

// HoldsMaster reports whether a pause makes a command of the master wait. Then resumed is called
// when the command should be tried again, and until is the time, in ms since the epoch, at which
// ResumePostponed must be called.
func (s Control) HoldsMaster(sess *Session, args []string, resumed func()) (until int64, held bool) {
	if s.Pause.Mode == PauseNone || !s.paused() {
		return 0, false
	}
	if spec := s.Table.Resolve(args); s.Pause.Mode == PauseWrite && (spec == nil || !s.mayChange(sess, spec, args)) {
		return 0, false
	}
	s.Pause.resumed = append(s.Pause.resumed, resumed)
	return s.Pause.End, true
}

// postpone makes a client's command wait for the end of the pause, if the pause applies to it.
func (s *Server) postpone(sess *Session, spec *cmdtable.Spec, args []string) bool {
	s.passPause()
	switch {
	case s.Pause.Mode == PauseNone, sess.Monitors, sess.Peer != PeerClient, s.Pause.Mode == PauseWrite && !s.mayChange(sess, spec, args):
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
	a := attempt{s: s, sess: sess, spec: spec, args: args}
	return a.meets(func(f cmdtable.Flag) bool { return f&(cmdtable.Write|cmdtable.MayReplicate) != 0 })
}

// resumePostponed ends the waits of the postponed commands, in order. Those to which the pause
// still applies are postponed again.
func (s *Server) resumePostponed() {
	s.updatePause()
	list, resumed := s.Pause.postponed, s.Pause.resumed
	s.Pause.postponed, s.Pause.resumed = nil, nil
	for _, f := range resumed {
		f()
	}
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
func (s Control) Resume(w *BlockedClient) reply.Value {
	if w.muted && !w.Sess.ReplyOff {
		w.Sess.SkipNext = true
	}
	return s.Execute(w.Sess, cmdtable.DoorClient, w.Args)
}
