package engine

import (
	"context"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// Probe sees the commands that an engine runs, wherever they come from, and may refuse or answer
// them. It is for tests; package redmoontest has one that is easier to use. Its functions are
// called on the engine's goroutine: they must not call the engine.
type Probe struct {
	// Refuse is called before a command that has passed all other checks. If it returns an error,
	// the command does not run and answers that error. A command that MULTI queues is not asked about
	// before EXEC runs it. nil: no command is refused.
	Refuse func(ProbedCommand) *Error
	// Answer is called after Refuse, for a command that was not refused. If it returns true, the
	// command does not run, and the Value is its reply. nil: every command runs.
	Answer func(ProbedCommand) (Value, bool)
	// Ran is called after a command has run, or Refuse or Answer has answered it. The reply of a
	// command that has begun to wait, such as BLPOP on a missing list, is the zero Value. A script
	// comes after the commands that it has called. nil: nobody looks.
	Ran func(ProbedCommand, Value)
}

// ProbedCommand is a command that a [Probe] sees.
type ProbedCommand struct {
	Args    []string // the name as it was written, and the arguments; valid only during the call
	Session int64    // the id of the client, as CLIENT LIST shows it; 0: a call of the Engine itself
	DB      int      // the selected database, from 0
	Script  bool     // a script or function has called it
	Exec    bool     // EXEC runs it
	Write   bool     // it may change keys

	spec *cmdtable.Spec
}

// Keys returns the keys among the arguments, as COMMAND GETKEYS does; nil if there are none.
func (c ProbedCommand) Keys() []string {
	var keys []string
	for _, k := range c.spec.FindKeys(c.Args) {
		keys = append(keys, c.Args[k.Pos])
	}
	return keys
}

// SetProbe makes p see all commands from now on, in place of an earlier probe; nil ends that. It
// returns the error of ctx if ctx ends before its turn, or [ErrClosed].
func (e *Engine) SetProbe(ctx context.Context, p *Probe) error {
	var inner *server.Probe
	if p != nil {
		inner = &server.Probe{}
		if p.Refuse != nil {
			inner.Refuse = func(c server.Probed) string {
				if err := p.Refuse(probed(c)); err != nil {
					return err.Error()
				}
				return ""
			}
		}
		if p.Answer != nil {
			inner.Answer = func(c server.Probed) (Value, bool) { return p.Answer(probed(c)) }
		}
		if p.Ran != nil {
			inner.Ran = func(c server.Probed, v Value) { p.Ran(probed(c), v) }
		}
	}
	return e.viewStore(ctx, func(*datastore.Store) error {
		e.server.SetProbe(inner)
		return nil
	})
}

func probed(c server.Probed) ProbedCommand {
	return ProbedCommand{Args: c.Args, Session: c.Session.ID, DB: c.Session.DB.ID(), Script: c.Door.FromScript(),
		Exec: c.Door == cmdtable.DoorExec, Write: c.Spec.Flags&cmdtable.Write != 0, spec: c.Spec}
}
