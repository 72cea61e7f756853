package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Probe sees the commands of every door, and may refuse or answer them. It is for tests.
type Probe struct {
	Refuse    func(Probed) string              // the error reply of a command that must not run; "": it may
	Answer    func(Probed) (reply.Value, bool) // the reply of a command that must not run, and true
	Ran       func(Probed, reply.Value)        // after a command has run, or was refused or answered
	Unblocked func(*Session, reply.Value)      // a command that had begun to wait has its reply

	answer reply.Value // of the command that Answer has answered
}

// Probed is a command that a probe sees.
type Probed struct {
	Session *Session
	Door    cmdtable.Door
	Spec    *cmdtable.Spec
	Args    []string
	Waits   *BlockedClient // the wait that it has begun, or nil
}

// SetProbe sets the probe of the server; nil ends it.
func (s Control) SetProbe(p *Probe) {
	s.probe = p
	s.UpdateObserved()
	s.updateStanding()
}

// probed asks the probe about a command that has passed the other checks.
func (s *Server) probed(a attempt) (problem string, v verdict) {
	if a.door == cmdtable.DoorClient && a.queued() {
		return "", passes
	}
	p := Probed{Session: a.sess, Door: a.door, Spec: a.spec, Args: a.args}
	if s.probe.Refuse != nil {
		problem, v = refuse(s.probe.Refuse(p))
	}
	if v == passes && s.probe.Answer != nil {
		if answer, ok := s.probe.Answer(p); ok {
			s.probe.answer, v = answer, answers
		}
	}
	switch {
	case s.probe.Ran == nil:
	case v == rejects:
		s.probe.Ran(p, reply.Err(problem))
	case v == answers:
		s.probe.Ran(p, s.probe.answer)
	}
	return problem, v
}
