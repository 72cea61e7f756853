package engine

import (
	"context"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
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
	// Unblocked is called when a command that has begun to wait gets its reply: it was served, has
	// timed out, or CLIENT UNBLOCK has ended the wait. It is not called if its session ends. session
	// is that of the command. nil: nobody looks.
	Unblocked func(session int64, v Value)
}

// ProbedCommand is a command that a [Probe] sees.
type ProbedCommand struct {
	Args    []string // the name as it was written, and the arguments; valid only during the call
	Session int64    // the id of the client, as CLIENT LIST shows it; 0: a call of the Engine itself
	DB      int      // the selected database, from 0
	Script  bool     // a script or function has called it
	Exec    bool     // EXEC runs it
	Write   bool     // it may change keys
	// Waits is set if the command has begun to wait. Until is then the time at which it gives up, in
	// whole milliseconds, or the zero Time if it never does.
	Waits bool
	Until time.Time
	// LuaState is set for Ran if the command has left something in Lua for later scripts, other
	// than in a library of functions: the position in the sequence of math.random, or settings of
	// cjson.
	LuaState bool

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

// changing are the flags of keys that a command may change. PFCOUNT, which only reads, may store
// what it has counted.
const changing = cmdtable.RW | cmdtable.OW | cmdtable.RM | cmdtable.Insert | cmdtable.Update | cmdtable.Delete

// WrittenKeys returns those of Keys that the command may change. It returns all of them if the
// command may change keys and the command table does not say which, as for XREADGROUP.
func (c ProbedCommand) WrittenKeys() []string {
	var keys []string
	for _, k := range c.spec.FindKeys(c.Args) {
		if k.Flags&changing != 0 {
			keys = append(keys, c.Args[k.Pos])
		}
	}
	if len(keys) == 0 && c.Write {
		return c.Keys()
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
			inner.Ran = func(c server.Probed, v Value) {
				shown := probed(c)
				shown.LuaState = !shown.Script && e.luaStateChanged()
				p.Ran(shown, v)
			}
		}
		if p.Unblocked != nil {
			inner.Unblocked = func(s *server.Session, v Value) { p.Unblocked(s.ID, v) }
		}
	}
	return e.viewStore(ctx, func(*datastore.Store) error {
		e.luaStateChanged()
		e.server.SetProbe(inner)
		return nil
	})
}

// luaStateChanged reports whether scripts or functions have changed what later ones see since it
// was called last.
func (s *scripting) luaStateChanged() bool {
	var now [2]luabridge.State
	for i, vm := range []*luabridge.VM{s.scripts.vm, s.functions.vm} {
		if vm != nil {
			now[i] = vm.State()
		}
	}
	was := s.probedState
	s.probedState = now
	return !was[0].Same(now[0]) || !was[1].Same(now[1])
}

func probed(c server.Probed) ProbedCommand {
	p := ProbedCommand{Args: c.Args, Session: c.Session.ID, DB: c.Session.DB.ID(), Script: c.Door.FromScript(),
		Exec: c.Door == cmdtable.DoorExec, Write: c.Spec.Flags&cmdtable.Write != 0, spec: c.Spec}
	if c.Waits != nil {
		p.Waits = true
		if c.Waits.Deadline != 0 {
			p.Until = time.UnixMilli(c.Waits.Deadline)
		}
	}
	return p
}
