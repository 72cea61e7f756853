package server

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Execute sends one command through the gate and, if the gate lets it pass, to its
// handler (or, inside MULTI, into the queue). It is the only way to a handler; the four
// doors all come here. Caller must pass at least one argument and must have set the
// store's clock. The reply is [reply.None] when CLIENT REPLY has turned replies off.
func (s *Server) Execute(sess *Session, door cmdtable.Door, args []string) reply.Value {
	spec := s.resolve(args)
	if spec == nil || spec.Doors&(1<<door) == 0 || len(args) < spec.MinArgs || len(args) > spec.MaxArgs {
		if !s.scriptDenialLifted(door, spec, args) {
			return reply.Refused(s.reject(sess, door, spec, args))
		}
	}
	if door != cmdtable.DoorClient {
		if sess.forbidden(spec, args) {
			return reply.Refused(s.denyInside(sess, door, spec, args))
		}
		if s.Memory.scriptOut && spec.Flags&cmdtable.Write != 0 && s.outInScript(door, spec) {
			return reply.Refused(s.refuseMemory(sess, door, spec, args))
		}
		if s.slotted && door.FromScript() && s.checkSlotInScript(sess, spec, args) != "" {
			return reply.Refused(s.reject(sess, door, spec, args))
		}
		if spec.Flags&cmdtable.Write != 0 {
			s.Running.Wrote = true
		}
		return s.callTimed(sess, door, spec, args)
	}
	v := s.executeClient(sess, spec, args)
	if sess.Track != nil {
		s.endTracked(sess, spec)
	}
	if len(sess.OwnPushes)+len(sess.AfterReply) > 0 {
		v = sess.TakePushed(v)
	}
	return v
}

// resolve is Table.Resolve with a memory: a name in a script or in a program is the same string each time,
// which its address tells without hashing.
func (s *Server) resolve(args []string) *cmdtable.Spec {
	name := args[0]
	data := unsafe.StringData(name)
	slot := &s.resolved[uintptr(unsafe.Pointer(data))>>3%uintptr(len(s.resolved))]
	if unsafe.StringData(slot.name) == data && len(slot.name) == len(name) && slot.spec != nil {
		return slot.spec
	}
	spec := s.Table.Resolve(args)
	if spec != nil && spec.Parent == nil && len(spec.Subs) == 0 {
		slot.name, slot.spec = name, spec // the name kept is of a command, so it is short
	}
	return spec
}

// executeClient is the rest of the way for a command that came from a client itself: the
// checks that depend on the session, MULTI's queue, and CLIENT REPLY.
func (s *Server) executeClient(sess *Session, spec *cmdtable.Spec, args []string) reply.Value {
	if sess.shared && spec.ChangesSession {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	sess.Active, sess.last = s.Store.Now(), spec
	if s.AnyNoTouch {
		s.Store.SetNoTouch(sess.NoTouch && spec.Name != "touch")
	}
	if sess.ReplyOff || sess.SkipNext {
		return s.executeMuted(sess, spec, args)
	}
	return s.enter(sess, spec, args)
}

// undenied reports whether DEBUG SET-DISABLE-DENY-SCRIPTS lets a script call a command that is refused to scripts otherwise. What
// runs scripts, waits or changes the session stays refused.
func (s *Server) scriptDenialLifted(door cmdtable.Door, spec *cmdtable.Spec, args []string) bool {
	return s.Debug.AllowNoScript && door.FromScript() && spec != nil && spec.Handler != nil && spec.Flags&cmdtable.NoScript != 0 &&
		len(args) >= spec.MinArgs && len(args) <= spec.MaxArgs && spec.Flags&(cmdtable.Blocking|cmdtable.PubSub) == 0 && !spec.ChangesSession &&
		spec.Categories()&cmdtable.CatScripting == 0 && (door == cmdtable.DoorScript || spec.Flags&cmdtable.Write == 0)
}

// enter runs the command or queues it.
func (s *Server) enter(sess *Session, spec *cmdtable.Spec, args []string) reply.Value {
	if spec.NeedsDebugPermission && !s.debugAllowed(sess) {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	if s.AuthRequired(sess) && spec.Flags&cmdtable.NoAuth == 0 {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	queued := sess.Queueing && !spec.RunsInMulti
	if queued && spec.Flags&cmdtable.NoMulti != 0 || sess.forbidden(spec, args) {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	if s.slotted {
		if problem := s.checkSlot(sess, spec, args); problem != "" {
			return s.refuseSlot(sess, spec, problem)
		}
	}
	if s.pendingWork && s.BoundsClients() {
		if s.evictClients(sess); sess.gone {
			return reply.None()
		}
	}
	if s.Config.Memory.Limit != 0 && s.BusyError == "" && s.outOfMemory(sess, spec, args) { // nothing is evicted while a script is busy
		return s.refuseMemory(sess, cmdtable.DoorClient, spec, args)
	}
	if sess.SubscribeOnly() && !spec.AllowedSubscribed {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	if s.BusyError != "" && spec.Flags&cmdtable.AllowBusy == 0 {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	if sess.Monitors && spec.Flags&(cmdtable.Write|cmdtable.ReadOnly|cmdtable.MayReplicate) != 0 {
		return s.reject(sess, cmdtable.DoorClient, spec, args)
	}
	if s.Pause.Mode != PauseNone && s.postpone(sess, spec, args) {
		return reply.None()
	}
	if !queued && len(args) > 1 && s.CompileLater != nil && (len(args[1]) >= s.LongText || len(args[len(args)-1]) >= s.LongText) && s.awaitCompiler(sess, spec, args) {
		return reply.None()
	}
	if queued {
		if !sess.QueueFailed && !sess.WatchBroken { // else EXEC runs nothing
			sess.Queue = append(sess.Queue, append([]string(nil), args...))
			sess.QueueBytes += argBytes(args) + pointer*int64(len(args))
		}
		return reply.Status("QUEUED")
	}
	return s.callTimed(sess, cmdtable.DoorClient, spec, args)
}

// AuthRequired reports whether the session must log in first.
func (s *Server) AuthRequired(sess *Session) bool {
	return !sess.Authenticated && !s.Access.NeedsNoPassword()
}

// executeMuted runs a command whose reply CLIENT REPLY OFF or SKIP drops. Only CLIENT REPLY ON
// is heard, because it ends the silence itself.
func (s *Server) executeMuted(sess *Session, spec *cmdtable.Spec, args []string) reply.Value {
	sess.SkipNext = false
	sess.RepliesTurnedOn, sess.silent = false, true
	v := s.enter(sess, spec, args)
	sess.silent = false
	if sess.RepliesTurnedOn {
		return v
	}
	if s.Blocked != nil {
		s.Blocked.muted = true
	}
	return reply.None()
}

// call runs the handler of an admitted command.
func (s *Server) call(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) reply.Value {
	if door == cmdtable.DoorClient {
		s.level = 0 // nothing runs; a panic may have left levels in use
	}
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = sess, sess.DB, spec, args, sess.Proto, door
	if s.observed {
		s.runs(sess, door, spec, args)
	}
	if len(args) >= aheadArgs {
		s.readAhead(sess, spec, args)
	}
	s.Store.SetReading(spec.OnlyReads)
	v := spec.Handler.(Handler)(c)
	s.Store.SetReading(false)
	s.Store.Settle()
	s.putCtx()
	if s.observed {
		s.ran(sess, door, spec, args)
	}
	st := &s.Stats.Calls[spec.ID]
	st.Calls++
	s.Stats.Commands++
	if v.IsError() {
		st.Failed++
		s.CountError(v)
	}
	return v
}

// CountError counts an error reply by its code, unless that has been done: a script hands on the errors that redis.call got.
func (s *Server) CountError(v reply.Value) {
	if v.Counted() {
		return
	}
	const most = 31 // bytes in which Redis looks for the end of the code
	code, text := "ERR", v.Text()
	if end := strings.IndexByte(text[:min(len(text), most)], ' '); end >= 0 {
		code = text[:end]
	}
	s.Stats.Errors[code]++
	s.Stats.ErrorReplies++
}

// CountInner counts an error that stands inside the reply of the script or function which spec runs. As in Redis, the call has failed
// once for all errors that are new, and once more for each that a command's statistics have counted; again says that one
// has been counted for this call.
func (s *Server) CountInner(spec *cmdtable.Spec, v reply.Value, again bool) {
	if v.Counted() || !again {
		s.Stats.Calls[spec.ID].Failed++
	}
	s.CountError(v)
}

// reject answers a command that must not run, counts it, and spoils an open transaction.
func (s *Server) reject(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) reply.Value {
	v := reply.Err(s.refusal(sess, door, spec, args))
	if spec.NamedBy(door, args) {
		s.Stats.Calls[spec.ID].Rejected++
	}
	if door == cmdtable.DoorClient {
		if spec != nil && spec.Name == "exec" && !sess.shared {
			if sess.Queueing {
				s.EndMulti(sess)
			}
			v = reply.Err(errtext.ExecAbortOf + strings.TrimPrefix(v.Text(), "ERR "))
		} else if sess.Queueing {
			sess.QueueFailed = true
		}
		if sess.Track != nil {
			s.endTracked(sess, spec)
		}
	}
	s.CountError(v)
	if sess.ReplyOff || sess.SkipNext {
		sess.SkipNext = false
		return reply.None()
	}
	return v
}

// refusal finds the reason why a command must not run. The checks stand in Redis's order.
func (s *Server) refusal(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) string {
	script := door.FromScript()
	arity := spec != nil && (len(args) < spec.MinArgs || len(args) > spec.MaxArgs)
	switch {
	case script && (spec == nil || len(spec.Subs) > 0 && len(args) > 1):
		return errtext.UnknownInScript
	case script && arity:
		return "ERR Wrong number of args calling Redis command from script"
	case script && spec.Flags&cmdtable.NoScript != 0:
		return "ERR This Redis command is not allowed from script"
	case script && spec.Handler == nil:
		return errtext.UnknownInScript
	case script && s.Memory.refuses:
		return errtext.OutOfMemory
	case script && sess.forbidden(spec, args):
		return s.deny(sess, door, spec, args)
	case script && (spec.Doors&(1<<door) != 0 || s.scriptDenialLifted(door, spec, args)):
		return s.checkSlotInScript(sess, spec, args)
	case script:
		return "ERR Write commands are not allowed from read-only scripts."
	case spec == nil || !spec.Visible():
		return unknownCommand(args)
	case len(spec.Subs) > 0 && len(args) > 1: // Resolve found no such subcommand
		return unknownSubcommand(args)
	case arity:
		return cmdtable.ErrArity(spec)
	case spec.NeedsDebugPermission && !s.debugAllowed(sess):
		return errtext.DebugRefused
	case s.AuthRequired(sess) && spec.Flags&cmdtable.NoAuth == 0:
		return errtext.NoAuth
	case sess.shared && spec.ChangesSession:
		return "ERR " + strings.ToUpper(args[0]) + " keeps state between calls and needs a session of its own"
	case sess.Queueing && !spec.RunsInMulti && spec.Flags&cmdtable.NoMulti != 0:
		return "ERR Command not allowed inside a transaction"
	case s.Memory.refuses:
		return errtext.OutOfMemory
	case sess.forbidden(spec, args):
		return s.deny(sess, door, spec, args)
	case s.BusyError != "" && spec.Flags&cmdtable.AllowBusy == 0 && (!sess.SubscribeOnly() || spec.AllowedSubscribed):
		return s.BusyError
	case sess.Monitors && (!sess.SubscribeOnly() || spec.AllowedSubscribed):
		return "ERR Replica can't interact with the keyspace"
	}
	return "ERR Can't execute '" + spec.FullName() + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
}

func unknownCommand(args []string) string {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", errtext.Cut(a, 128-b.Len()))
	}
	return errtext.OneLine(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", errtext.Cut(args[0], 128), b.String()))
}

func unknownSubcommand(args []string) string {
	return errtext.OneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", errtext.Cut(args[1], 128), strings.ToUpper(errtext.Cut(args[0], 128))))
}

// changed is told of every change of a key. It is the one listener to the feed.
func (s *Server) changed(ch *datastore.Change) {
	if (len(s.Watched) > 0 || s.tracking.active) && !ch.Aside && ch.Class&(datastore.ClassNew|datastore.ClassGone) == 0 { // another event tells of these
		s.Touch(ch)
	}
	if len(s.Queues) > 0 {
		s.signal(ch)
	}
	if ch.Class&s.Config.Notify.Classes != 0 {
		s.notify(ch)
	}
}

// touch marks the sessions whose watched key changed, and tells those that have cached it.
func (s *Server) Touch(ch *datastore.Change) {
	if s.waiters.quiet && (ch.Event == "lpop" || ch.Event == "rpop" || ch.Event == "del") {
		return
	}
	if len(s.Watched) > 0 {
		s.touchWatched(ch)
	}
	if s.tracking.active {
		s.invalidate(ch)
	}
}
