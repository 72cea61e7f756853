package command

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Execute sends one command through the gate and, if the gate lets it pass, to its
// handler (or, inside MULTI, into the queue). It is the only way to a handler; the four
// doors all come here. Caller must pass at least one argument and must have set the
// store's clock. The reply is [reply.None] when CLIENT REPLY has turned replies off.
func (s *Server) Execute(sess *Session, door Door, args []string) reply.Value {
	spec := s.resolve(args)
	if spec == nil || spec.doors&(1<<door) == 0 || len(args) < spec.minArgs || len(args) > spec.maxArgs {
		if !s.undenied(door, spec, args) {
			return reply.Refused(s.reject(sess, door, spec, args))
		}
	}
	if door != DoorClient {
		if sess.forbidden(spec, args) {
			return reply.Refused(s.denyInside(sess, door, spec, args))
		}
		if s.memory.scriptOut && spec.Flags&Write != 0 && s.outInScript(door, spec) {
			return reply.Refused(s.refuseMemory(sess, door, spec, args))
		}
		if s.slotted && door.FromScript() && s.placeInScript(sess, spec, args) != "" {
			return reply.Refused(s.reject(sess, door, spec, args))
		}
		if spec.Flags&Write != 0 {
			s.running.wrote = true
		}
		return s.callTimed(sess, door, spec, args)
	}
	v := s.executeClient(sess, spec, args)
	if sess.track != nil {
		s.endTracked(sess, spec)
	}
	if len(sess.early)+len(sess.behind) > 0 {
		v = sess.takePushed(v)
	}
	return v
}

// resolve is Table.Resolve with a memory: a name in a script or in a program is the same string each time,
// which its address tells without hashing.
func (s *Server) resolve(args []string) *Spec {
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
func (s *Server) executeClient(sess *Session, spec *Spec, args []string) reply.Value {
	if sess.shared && spec.keepsState {
		return s.reject(sess, DoorClient, spec, args)
	}
	sess.Active, sess.last = s.Store.Now(), spec
	if s.noTouch {
		s.Store.SetNoTouch(sess.NoTouch && spec.Name != "touch")
	}
	if sess.ReplyOff || sess.SkipNext {
		return s.executeMuted(sess, spec, args)
	}
	return s.enter(sess, spec, args)
}

// undenied reports whether DEBUG SET-DISABLE-DENY-SCRIPTS lets a script call a command that is refused to scripts otherwise. What
// runs scripts, waits or changes the session stays refused.
func (s *Server) undenied(door Door, spec *Spec, args []string) bool {
	return s.debug.allowNoScript && door.FromScript() && spec != nil && spec.Handler != nil && spec.Flags&NoScript != 0 &&
		len(args) >= spec.minArgs && len(args) <= spec.maxArgs && spec.Flags&(Blocking|PubSub) == 0 && !spec.keepsState &&
		spec.Categories()&CatScripting == 0 && (door == DoorScript || spec.Flags&Write == 0)
}

// enter runs the command or queues it.
func (s *Server) enter(sess *Session, spec *Spec, args []string) reply.Value {
	if spec.guarded && !s.debugAllowed(sess) {
		return s.reject(sess, DoorClient, spec, args)
	}
	if s.AuthRequired(sess) && spec.Flags&NoAuth == 0 {
		return s.reject(sess, DoorClient, spec, args)
	}
	queued := sess.inMulti && !spec.inMulti
	if queued && spec.Flags&NoMulti != 0 || sess.forbidden(spec, args) {
		return s.reject(sess, DoorClient, spec, args)
	}
	if s.slotted {
		if problem := s.place(sess, spec, args); problem != "" {
			return s.refuseSlot(sess, spec, problem)
		}
	}
	if s.chores && s.boundsClients() {
		if s.evictClients(sess); sess.gone {
			return reply.None()
		}
	}
	if s.Config.memory.limit != 0 && s.busy == "" && s.outOfMemory(sess, spec, args) { // nothing is evicted while a script is busy
		return s.refuseMemory(sess, DoorClient, spec, args)
	}
	if sess.narrowed() && !spec.whenSubscribed {
		return s.reject(sess, DoorClient, spec, args)
	}
	if s.busy != "" && spec.Flags&AllowBusy == 0 {
		return s.reject(sess, DoorClient, spec, args)
	}
	if sess.monitors && spec.Flags&(Write|ReadOnly|MayReplicate) != 0 {
		return s.reject(sess, DoorClient, spec, args)
	}
	if s.pause.mode != pauseNone && s.postpone(sess, spec, args) {
		return reply.None()
	}
	if !queued && len(args) > 1 && s.CompileLater != nil && (len(args[1]) >= s.LongText || len(args[len(args)-1]) >= s.LongText) && s.awaitCompiler(sess, spec, args) {
		return reply.None()
	}
	if queued {
		if !sess.dirty && !sess.stale { // else EXEC runs nothing
			sess.queue = append(sess.queue, append([]string(nil), args...))
			sess.queueBytes += argBytes(args) + pointer*int64(len(args))
		}
		return reply.Status("QUEUED")
	}
	return s.callTimed(sess, DoorClient, spec, args)
}

// AuthRequired reports whether the session must log in first.
func (s *Server) AuthRequired(sess *Session) bool {
	return !sess.Authenticated && !s.access.open()
}

// executeMuted runs a command whose reply CLIENT REPLY OFF or SKIP drops. Only CLIENT REPLY ON
// is heard, because it ends the silence itself.
func (s *Server) executeMuted(sess *Session, spec *Spec, args []string) reply.Value {
	sess.SkipNext = false
	sess.replyOn, sess.silent = false, true
	v := s.enter(sess, spec, args)
	sess.silent = false
	if sess.replyOn {
		return v
	}
	if s.began != nil {
		s.began.muted = true
	}
	return reply.None()
}

// call runs the handler of an admitted command.
func (s *Server) call(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	if door == DoorClient {
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
	s.Store.SetReading(spec.reads)
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
		s.countError(v)
	}
	return v
}

// countError counts an error reply by its code, unless that has been done: a script hands on the errors that redis.call got.
func (s *Server) countError(v reply.Value) {
	if v.Told() {
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
func (s *Server) CountInner(spec *Spec, v reply.Value, again bool) {
	if v.Told() || !again {
		s.Stats.Calls[spec.ID].Failed++
	}
	s.countError(v)
}

// reject answers a command that must not run, counts it, and spoils an open transaction.
func (s *Server) reject(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	v := reply.Err(s.refusal(sess, door, spec, args))
	if spec.named(door, args) {
		s.Stats.Calls[spec.ID].Rejected++
	}
	if door == DoorClient {
		if spec != nil && spec.Name == "exec" && !sess.shared {
			if sess.inMulti {
				s.endMulti(sess)
			}
			v = reply.Err(errExecAbortOf + strings.TrimPrefix(v.Text(), "ERR "))
		} else if sess.inMulti {
			sess.dirty = true
		}
		if sess.track != nil {
			s.endTracked(sess, spec)
		}
	}
	s.countError(v)
	if sess.ReplyOff || sess.SkipNext {
		sess.SkipNext = false
		return reply.None()
	}
	return v
}

// named reports whether the rejected arguments name a command that the door knows.
func (s *Spec) named(door Door, args []string) bool {
	if s == nil || len(s.Subs) > 0 && len(args) > 1 {
		return false
	}
	if door.FromScript() {
		return s.Handler != nil || len(s.Subs) > 0 || s.Flags&NoScript != 0
	}
	return s.visible()
}

// refusal finds the reason why a command must not run. The checks stand in Redis's order.
func (s *Server) refusal(sess *Session, door Door, spec *Spec, args []string) string {
	script := door.FromScript()
	arity := spec != nil && (len(args) < spec.minArgs || len(args) > spec.maxArgs)
	switch {
	case script && (spec == nil || len(spec.Subs) > 0 && len(args) > 1):
		return errUnknownInScript
	case script && arity:
		return "ERR Wrong number of args calling Redis command from script"
	case script && spec.Flags&NoScript != 0:
		return "ERR This Redis command is not allowed from script"
	case script && spec.Handler == nil:
		return errUnknownInScript
	case script && s.memory.refuses:
		return errOutOfMemory
	case script && sess.forbidden(spec, args):
		return s.deny(sess, door, spec, args)
	case script && (spec.doors&(1<<door) != 0 || s.undenied(door, spec, args)):
		return s.placeInScript(sess, spec, args)
	case script:
		return "ERR Write commands are not allowed from read-only scripts."
	case spec == nil || !spec.visible():
		return unknownCommand(args)
	case len(spec.Subs) > 0 && len(args) > 1: // Resolve found no such subcommand
		return unknownSubcommand(args)
	case arity:
		return errArity(spec)
	case spec.guarded && !s.debugAllowed(sess):
		return errDebugRefused
	case s.AuthRequired(sess) && spec.Flags&NoAuth == 0:
		return errNoAuth
	case sess.shared && spec.keepsState:
		return "ERR " + strings.ToUpper(args[0]) + " keeps state between calls and needs a session of its own"
	case sess.inMulti && !spec.inMulti && spec.Flags&NoMulti != 0:
		return "ERR Command not allowed inside a transaction"
	case s.memory.refuses:
		return errOutOfMemory
	case sess.forbidden(spec, args):
		return s.deny(sess, door, spec, args)
	case s.busy != "" && spec.Flags&AllowBusy == 0 && (!sess.narrowed() || spec.whenSubscribed):
		return s.busy
	case sess.monitors && (!sess.narrowed() || spec.whenSubscribed):
		return "ERR Replica can't interact with the keyspace"
	}
	return "ERR Can't execute '" + spec.FullName() + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
}

// prepare derives what the gate asks of a row for every call.
func (s *Spec) prepare() {
	s.ahead = s.lookahead()
	s.minArgs, s.maxArgs = s.Arity, s.Arity
	if s.Arity < 0 {
		s.minArgs, s.maxArgs = -s.Arity, math.MaxInt
	}
	s.guarded = s.Parent == nil && s.Name == "debug"
	s.inMulti = s.Parent == nil && slices.Contains(runInMulti, s.Name)
	s.runsQueue = s.Parent == nil && s.Name == "exec"
	s.runsScript = s.Categories()&CatScripting != 0 && len(s.Keys) > 0
	s.reads = s.Flags&(ReadOnly|MayReplicate) == ReadOnly && s.Categories()&CatScripting == 0
	s.quick = s.Flags&Fast != 0 || s.Complexity == "O(1)"
	s.whenSubscribed = s.Parent == nil && slices.Contains(inSubscribed, s.Name)
	s.keepsState = slices.Contains(keepState, s.FullName())
	if s.Handler == nil {
		return
	}
	if len(s.Subs) > 0 {
		s.maxArgs = 1 // more arguments name a subcommand
	}
	s.doors |= 1<<DoorClient | 1<<DoorExec
	if s.Flags&NoScript == 0 {
		s.doors |= 1 << DoorScript
		if s.Flags&(Write|MayReplicate) == 0 {
			s.doors |= 1 << DoorScriptRO
		}
	}
}

// visible reports whether clients may know of the command: it is built, for more than the
// checks of the script door.
func (s *Spec) visible() bool {
	return s.doors&(1<<DoorClient) != 0 || slices.ContainsFunc(s.Subs, (*Spec).visible)
}

// visibleSubs are the subcommands that clients may know of.
func (s *Spec) visibleSubs() []*Spec {
	return slices.DeleteFunc(slices.Clone(s.Subs), func(sub *Spec) bool { return !sub.visible() })
}

// keepState are the commands that change the state of their session.
var keepState = []string{"multi", "exec", "discard", "watch", "unwatch", "select", "hello", "auth", "reset", "quit",
	"client|setname", "monitor", "client|reply", "client|tracking", "client|caching", "client|no-evict", "client|no-touch", "client|setinfo",
	"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"}

// inSubscribed are the commands that a subscribed session of RESP2 may run.
var inSubscribed = []string{"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "ping", "quit", "reset"}

// runInMulti are the commands that run at once between MULTI and EXEC.
var runInMulti = []string{"exec", "discard", "multi", "watch", "quit", "reset"}

// errArity is the error of a command with too few or too many arguments.
func errArity(s *Spec) string {
	return "ERR wrong number of arguments for '" + s.FullName() + "' command"
}

func unknownCommand(args []string) string {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", cut(a, 128-b.Len()))
	}
	return oneLine(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", cut(args[0], 128), b.String()))
}

func unknownSubcommand(args []string) string {
	return oneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", cut(args[1], 128), strings.ToUpper(cut(args[0], 128))))
}

func cut(s string, n int) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return s[:min(n, len(s))]
}

// oneLine puts spaces for the bytes that would end an error line.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", " "), "\n", " ")
}

// changed is told of every change of a key. It is the one listener to the feed.
func (s *Server) changed(ch *datastore.Change) {
	if (len(s.watched) > 0 || s.tracking.active) && !ch.Aside && ch.Class&(datastore.ClassNew|datastore.ClassGone) == 0 { // another event tells of these
		s.touch(ch)
	}
	if len(s.queues) > 0 {
		s.signal(ch)
	}
	if ch.Class&s.Config.notify.classes != 0 {
		s.notify(ch)
	}
}

// touch marks the sessions whose watched key changed, and tells those that have cached it.
func (s *Server) touch(ch *datastore.Change) {
	if s.waiters.quiet && (ch.Event == "lpop" || ch.Event == "rpop" || ch.Event == "del") {
		return
	}
	if len(s.watched) > 0 {
		s.touchWatched(ch)
	}
	if s.tracking.active {
		s.invalidate(ch)
	}
}
