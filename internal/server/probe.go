package server

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Probe sees the commands of every door, and may refuse them. It is for tests.
type Probe struct {
	Refuse   func(Probed) string         // the error reply of a command that must not run; "": it may
	Ran      func(Probed, reply.Value)   // after a command has run or was refused by Refuse
	Answered func(*Session, reply.Value) // a command that had begun to wait has its reply
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
func (s *Server) SetProbe(p *Probe) {
	s.probe = p
	s.UpdateObserved()
}

// probed asks the probe about a command that has passed the other checks.
func (s *Server) probed(a attempt) string {
	if s.probe.Refuse == nil || a.door == cmdtable.DoorClient && a.queued() {
		return ""
	}
	p := Probed{Session: a.sess, Door: a.door, Spec: a.spec, Args: a.args}
	problem := s.probe.Refuse(p)
	if problem != "" && s.probe.Ran != nil {
		s.probe.Ran(p, reply.Err(problem))
	}
	return problem
}
