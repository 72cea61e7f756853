package server

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// gate is what the way of commands to their handlers needs.
type gate struct {
	commands *Commands
	standing uint32 // see updateStanding
	levels   []*Ctx
	level    int                      // number of levels in use
	lookups  []datastore.FutureLookup // reused by ReadAhead

	ExecLen   int   // number of commands of the running EXEC; 0: none runs
	ExecSent  int64 // bytes of its replies so far, while COMMANDLOG needs them
	ExecBytes int64 // size of its queue

	LastTime second // the last reply of TIME
}

// Execute sends one command through the checks of the gate and then to its handler or, inside
// MULTI, into the queue. It is the only way to a handler; all doors use it. Caller must pass at
// least one argument. The reply is [reply.None] if CLIENT REPLY
// has turned replies off.
func (s *Server) Execute(sess *Session, door cmdtable.Door, args []string) reply.Value {
	return s.execute(sess, door, args, nil)
}

// Program is a script that its caller has found.
type Program interface {
	// Run runs the script. The command line of c is its EVALSHA.
	Run(c *Ctx) reply.Value
}

// ExecuteProgram is Execute for an EVALSHA that a client sends, with its script. args is the
// command line, which the checks, SLOWLOG and MONITOR see. The session must not debug.
func (s Control) ExecuteProgram(sess *Session, args []string, p Program) reply.Value {
	return s.execute(sess, cmdtable.DoorClient, args, p)
}

func (s *Server) execute(sess *Session, door cmdtable.Door, args []string, p Program) reply.Value {
	spec := s.resolve(args)
	if spec == nil || !spec.Admits(door, len(args)) && !s.scriptDenialLifted(door, spec, args) {
		return reply.Refused(s.reject(sess, door, spec, args, s.notAdmitted(sess, door, spec, args)))
	}
	if door != cmdtable.DoorClient {
		if s.Rules.TimeFlows {
			if s.Store.BeginInner(); spec.Runs != cmdtable.RunsNoScript {
				defer s.Store.ResetExpiry(s.Store.RefixExpiry())
			}
		}
		if due := s.due(sess, door, spec); due != 0 {
			if v, stop := s.runChecks(due, sess, door, spec, args); stop {
				return reply.Refused(v)
			}
		}
		if spec.Flags&cmdtable.Write != 0 && !spec.WritesLate && !s.Run.Wrote && !s.Run.StartWriting() {
			return reply.Err(StoppedByCaller)
		}
		return s.callTimed(sess, door, spec, args, nil)
	}
	s.Store.BeginCommand()
	if spec.IsExec || spec.Runs != cmdtable.RunsNoScript {
		s.Store.FixExpiry()
	}
	v := s.executeClient(sess, spec, args, p)
	if len(s.effects.pending) > 0 {
		s.effects.alone = spec.ArbitraryKeys
		s.flushEffects()
		s.effects.alone = false
	}
	if s.hasEffects() {
		s.noteWritten(sess)
	}
	if sess.Track != nil {
		s.endTracked(sess, spec)
	}
	if len(sess.OwnPushes)+len(sess.AfterReply)+len(sess.AfterAll) > 0 {
		v = sess.TakePushed(v)
	}
	return v
}

// executeClient goes on with a command that a client sent itself: the checks that depend on the
// session, the queue of MULTI, and CLIENT REPLY.
func (s *Server) executeClient(sess *Session, spec *cmdtable.Spec, args []string, p Program) reply.Value {
	sess.Active, sess.last = s.Store.LastNow(), spec
	if s.Clients.AnyNoTouch {
		s.Store.SetNoTouch(sess.NoTouch && spec.Name != "touch")
	}
	if sess.Muted() {
		return s.executeMuted(sess, spec, args, p)
	}
	return s.enter(sess, spec, args, p)
}

// scriptDenialLifted reports whether DEBUG SET-DISABLE-DENY-SCRIPTS lets a script call a command
// that scripts are denied. Commands that run scripts, block or change the session stay denied.
func (s *Server) scriptDenialLifted(door cmdtable.Door, spec *cmdtable.Spec, args []string) bool {
	return s.Debug.AllowNoScript && door.FromScript() && spec != nil && spec.HasHandler() && spec.Flags&cmdtable.NoScript != 0 &&
		len(args) >= spec.MinArgs && len(args) <= spec.MaxArgs && spec.Flags&(cmdtable.Blocking|cmdtable.PubSub) == 0 && !spec.ChangesSession() &&
		spec.Categories()&cmdtable.CatScripting == 0 && (door == cmdtable.DoorScript || spec.Flags&cmdtable.Write == 0)
}

// enter runs the command or queues it.
func (s *Server) enter(sess *Session, spec *cmdtable.Spec, args []string, p Program) reply.Value {
	if due := s.due(sess, cmdtable.DoorClient, spec); due != 0 {
		if v, stop := s.runChecks(due, sess, cmdtable.DoorClient, spec, args); stop {
			return v
		}
	}
	if sess.Queueing && !spec.RunsInMulti {
		if !sess.QueueFailed && (!sess.WatchBroken || s.Undo.running != nil) { // otherwise EXEC runs no command
			sess.queue(args)
		}
		return reply.Status("QUEUED")
	}
	if s.Rules.UndoFailures && s.Undo.running == nil && s.undoes(sess, spec) {
		return s.callUndone(sess, spec, args, p)
	}
	return s.callTimed(sess, cmdtable.DoorClient, spec, args, p)
}

// authRequired reports whether the session must log in first.
func (s *Server) authRequired(sess *Session) bool {
	return !sess.Authenticated && !s.Access.NeedsNoPassword()
}

// executeMuted runs a command whose reply CLIENT REPLY OFF or SKIP drops. Only the reply of CLIENT
// REPLY ON is sent, because that command turns replies on again.
func (s *Server) executeMuted(sess *Session, spec *cmdtable.Spec, args []string, p Program) reply.Value {
	sess.SkipNext = false
	sess.RepliesTurnedOn, sess.silent = false, true
	v := s.enter(sess, spec, args, p)
	sess.silent = false
	if sess.RepliesTurnedOn {
		return v
	}
	if s.Blocked != nil {
		s.Blocked.muted = true
	}
	return reply.None()
}

// call runs an admitted command: its program, or its handler if p is nil.
func (s *Server) call(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, p Program) (v reply.Value) {
	if door == cmdtable.DoorClient {
		s.level = 0 // no command runs; a panic may have left levels in use
	}
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = sess, sess.DB, spec, args, sess.Proto, door
	if s.observed {
		s.runs(sess, door, spec, args)
	}
	if len(args) >= aheadArgs {
		s.readAhead(sess, spec, args)
	}
	dirty := s.Store.Dirty()
	effects := s.hasEffects()
	if effects {
		c.plan = plan{}
	}
	s.Store.SetReading(spec.OnlyReads)
	if p != nil {
		v = p.Run(c)
	} else {
		v = s.commands.handlers[spec.ID](c)
	}
	s.Store.SetReading(false)
	if effects { // the command that made a receiver begin, as PSYNC does, is not for it
		s.commandEffect(c, dirty)
	} else if door.FromScript() && s.Store.Dirty() != dirty {
		if s.Run.writes++; s.Run.writes <= maxWritten {
			s.effects.add(Effect{DB: sess.DB.ID(), Args: args, written: true}) // for nobody: see Written
		}
	}
	if s.Undo.running != nil && s.Store.Dirty() != dirty {
		s.Store.NotePut(int(argBytes(args)))
	}
	s.Store.UpdateUsed()
	s.putCtx()
	if s.observed {
		s.ran(sess, door, spec, args, v)
	}
	if w := s.Blocked; w != nil && w.HandedOver == nil && s.Follows.Has(servers.CountedAfterWait) {
		return v
	}
	st := s.countCall(sess, spec)
	if v.IsError() {
		st.Failed++
		s.Stats.CountError(v)
	}
	return v
}

// countCall counts a call of a command.
func (s *Server) countCall(sess *Session, spec *cmdtable.Spec) *CallStat {
	st := s.Stats.Calls.Of(spec.ID)
	st.Calls++
	s.Stats.Commands++
	for of := sess; of != nil; of = of.Caller {
		of.Commands++
	}
	return st
}

// reject returns the error reply of a command that must not run, counts it, and marks an open
// transaction as failed.
func (s *Server) reject(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, problem string) reply.Value {
	v := reply.Err(problem)
	if !isUnknown(spec, args) {
		s.Stats.Calls.Of(spec.ID).Rejected++
	}
	if door == cmdtable.DoorClient {
		if spec != nil && spec.Name == "exec" && !sess.shared {
			if sess.Queueing {
				s.EndMulti(sess)
			}
			v = reply.Err(errtext.ExecAbortOf + strings.TrimPrefix(v.Text(), "ERR "))
		} else if sess.Queueing {
			s.failQueue(sess)
		}
		if sess.Track != nil {
			s.endTracked(sess, spec)
		}
	}
	s.Stats.CountError(v)
	if sess.Muted() {
		sess.SkipNext = false
		return reply.None()
	}
	return v
}

// failQueue marks an open transaction as failed. With [servers.FailedQueueDropped] it forgets what
// is queued.
func (s *Server) failQueue(sess *Session) {
	sess.QueueFailed = true
	if s.Follows.Has(servers.FailedQueueDropped) {
		sess.Queue, sess.QueueBytes = nil, 0
	}
}

// notAdmitted returns the error for a command line whose command is unknown or not available at the
// door, or that has too few or too many arguments.
func (s *Server) notAdmitted(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) string {
	if door == cmdtable.DoorClient && s.Follows.Has(servers.LoginFirst) && s.authRequired(sess) &&
		(spec == nil || spec.Flags&cmdtable.NoAuth == 0) {
		return errtext.NoAuth
	}
	arity := spec != nil && (len(args) < spec.MinArgs || len(args) > spec.MaxArgs)
	if isUnknown(spec, args) {
		if name, lacks := cmdrows.Lacks(s.Follows, args); lacks {
			return fmt.Sprintf("ERR Redmoon does not have the command %s of %s", name, s.Follows)
		}
	}
	if door.FromScript() {
		switch {
		case spec != nil && isUnknown(spec, args) && s.Follows.Has(servers.SubcommandsInScripts):
			return unknownSubcommand(args)
		case isUnknown(spec, args):
			return errtext.UnknownInScript.Of(s.Follows)
		case arity:
			return errtext.ArityInScript.Of(s.Follows)
		case spec.Flags&cmdtable.NoScript != 0:
			return errtext.NotInScript.Of(s.Follows)
		}
		return errtext.UnknownInScript.Of(s.Follows)
	}
	switch {
	case spec == nil:
		return s.unknownCommand(args)
	case isUnknown(spec, args):
		return unknownSubcommand(args)
	}
	return cmdtable.ErrArity(spec)
}

// isUnknown reports whether the words of a command name no row: the command is unknown, and spec
// nil, or the subcommand of spec.
func isUnknown(spec *cmdtable.Spec, args []string) bool {
	return spec == nil || len(spec.Subs) > 0 && len(args) > 1
}

// errNeedsSession returns the error for a command that changes its session when many callers share
// the session.
func errNeedsSession(name string) string {
	return "ERR " + strings.ToUpper(name) + " keeps state between calls and needs a session of its own"
}

func errSubscribeOnly(spec *cmdtable.Spec) string {
	return "ERR Can't execute '" + spec.FullName() +
		"': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
}

func (s *Server) unknownCommand(args []string) string {
	name := errtext.Cut(args[0], 128)
	if len(args) == 1 && s.Follows.Has(servers.ShortUnknownText) {
		return errtext.OneLine("ERR unknown command '" + name + "'")
	}
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", errtext.Cut(a, 128-b.Len()))
	}
	return errtext.OneLine(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", name, b.String()))
}

func unknownSubcommand(args []string) string {
	return errtext.OneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", errtext.Cut(args[1], 128),
		strings.ToUpper(errtext.Cut(args[0], 128))))
}

// changed receives every change of a key. It is the only listener of the feed.
func (s *Server) changed(ch *datastore.Change) {
	// another event reports these
	if (len(s.Clients.watched) > 0 || s.tracking.active) && !ch.Unwatched && ch.Class&(datastore.ClassNew|datastore.ClassGone) == 0 {
		s.SignalModifiedKey(ch)
	}
	if len(s.Queues) > 0 {
		s.signal(ch)
	}
	if s.hasEffects() {
		switch ch.Class {
		case datastore.ClassExpired:
			s.removalEffect(ch, "lazyfree-lazy-expire")
		case datastore.ClassEvicted:
			s.removalEffect(ch, "lazyfree-lazy-eviction")
		}
	}
	if ch.Class&s.Config.Notify.Classes != 0 {
		s.notify(ch)
	}
}

// SignalModifiedKey marks the sessions that watch the changed key, and notifies those that have
// cached it.
func (s *Server) SignalModifiedKey(ch *datastore.Change) {
	if s.waiters.hidesChanges && (ch.Event == "lpop" || ch.Event == "rpop" || ch.Event == "del") {
		return
	}
	if len(s.Clients.watched) > 0 {
		s.touchWatched(ch)
	}
	if s.tracking.active {
		s.invalidate(ch)
	}
}
