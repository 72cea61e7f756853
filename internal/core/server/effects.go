package server

import (
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
)

// An effect is a command that repeats a change: replicas run it, and the append-only file holds it.
// Most effects are the command line that made the change. Commands whose result depends on time,
// chance or the state of a blocked client have another one: EXPIRE has PEXPIREAT, SPOP has SREM.
// All effects of a command, a script or a transaction take place together.

// Target is a set of receivers of effects.
type Target uint8

// The receivers.
const (
	ToFile     Target = 1 << iota // the append-only file
	ToReplicas                    // replicas

	ToNone Target = 0
	ToAll         = ToFile | ToReplicas
)

// Effect is one command for its receivers.
type Effect struct {
	DB   int      // number of the database it runs in
	Args []string // command line
	To   Target

	written bool // Args is the command line with which a script has changed something
}

// effects collects the effects of what runs.
type effects struct {
	receivers []*receiver // empty: nobody receives effects
	to        Target      // the targets of receivers
	pending   []Effect
	arena     []string // of Args in pending
	alone     bool     // the pending effects do not belong together
	notes     bool     // some of pending are for nobody, and only say what a script has written
}

// plan is what the running command wants as its effects, if not its command line.
type plan struct {
	instead          []string // nil: the command line
	forced, withheld Target
}

// receiver is a function that receives effects.
type receiver struct {
	to   Target
	take func(list []Effect, together bool)
}

// Receive makes take receive the effects for a target from now on. If together is true, the effects
// must take place together. take runs on the loop and must not keep the slices. It gets also the
// effects for the targets of other receivers: [EffectStream.Append] leaves them out. end, which
// runs on the loop too, ends this.
func (s Control) Receive(to Target, take func(list []Effect, together bool)) (end func()) {
	r := &receiver{to, take}
	p := &s.effects
	p.receive(append(p.receivers, r))
	return func() {
		p.receive(slices.DeleteFunc(slices.Clone(p.receivers), func(x *receiver) bool { return x == r }))
	}
}

func (p *effects) receive(list []*receiver) {
	p.receivers, p.to = list, ToNone
	for _, r := range list {
		p.to |= r.to
	}
}

// hasEffects reports whether effects are received.
func (s *Server) hasEffects() bool { return len(s.effects.receivers) > 0 && !s.Loading.Active }

// HasEffects reports whether effects are received, so that handlers need to describe them.
func (c *Ctx) HasEffects() bool { return c.Server.hasEffects() }

// EffectIs replaces the command line as the effect of the running command. Caller should call it
// only if [Ctx.HasEffects]. args belongs to the server from then on.
func (c *Ctx) EffectIs(args ...string) { c.plan.instead = args }

// AddEffect adds an effect in the database of the running command, before the command's own. As in
// Redis, redis.set_repl does not withhold it.
func (c *Ctx) AddEffect(args ...string) {
	if c.HasEffects() {
		c.Server.addEffect(c.DB.ID(), args, ToAll)
	}
}

// NoEffect leaves the command line out of the effects.
func (c *Ctx) NoEffect() { c.plan.withheld = ToAll }

// ForceEffect makes the command line an effect for the receivers even if nothing has changed.
func (c *Ctx) ForceEffect(to Target) { c.plan.forced |= to }

// mayReach returns the receivers that the running script has not excluded with redis.set_repl.
func (c *Ctx) mayReach() Target {
	if c.Door.FromScript() {
		return c.Server.Run.Reaches
	}
	return ToAll
}

// commandEffect adds the effect of a command that has run. dirty is the store's count of changes
// before it. If a script runs, it also notes the command line: see [Control.Written].
func (s *Server) commandEffect(c *Ctx, dirty int64) {
	to, changed := c.plan.forced, s.Store.Dirty() != dirty
	if changed {
		to = ToAll
	}
	if to == ToNone || c.Spec.IsExec || c.Spec.Runs != cmdtable.RunsNoScript {
		return
	}
	to &= c.mayReach() &^ c.plan.withheld
	written := changed && c.Door.FromScript()
	if written {
		s.Run.writes++
	}
	if c.plan.instead != nil {
		s.addEffect(c.Session.DB.ID(), c.plan.instead, to)
		to = ToNone
	}
	if to&s.effects.to == ToNone {
		to = ToNone
	}
	if to != ToNone || written && s.Run.writes <= maxWritten {
		s.effects.add(Effect{DB: c.Session.DB.ID(), Args: c.Args, To: to, written: written})
	}
}

// addEffect adds an effect, unless nobody receives it.
func (s *Server) addEffect(db int, args []string, to Target) {
	if to&s.effects.to != ToNone {
		s.effects.add(Effect{DB: db, Args: args, To: to})
	}
}

// add adds x, with a copy of its arguments.
func (p *effects) add(x Effect) {
	from := len(p.arena)
	p.arena = append(p.arena, x.Args...)
	x.Args = p.arena[from:len(p.arena):len(p.arena)]
	p.pending = append(p.pending, x)
	p.notes = p.notes || x.To == ToNone
}

// cut drops all but the first effects, with their arguments in the arena.
func (p *effects) cut(pending, arena int) {
	if pending < len(p.pending) {
		clear(p.pending[pending:])
		p.pending = p.pending[:pending]
	}
	if arena < len(p.arena) {
		clear(p.arena[arena:])
		p.arena = p.arena[:arena]
	}
}

// removalEffect adds the effect of a key that the server itself has removed.
func (s *Server) removalEffect(ch *datastore.Change, lazily string) {
	s.addEffect(ch.DB.ID(), []string{s.deletion(lazily), ch.Key}, ToAll)
}

// NoteExpired sends replicas the removal of a key of a dump that is not loaded: it has expired.
func (s Control) NoteExpired(db int, key string) {
	s.addEffect(db, []string{s.deletion("lazyfree-lazy-expire"), key}, ToReplicas)
	s.flushEffects()
}

// flushEffects hands the pending effects over. It is called at the end of each command of a client,
// each blocked client that was served, and each cycle of the server's own.
func (s *Server) flushEffects() {
	p := &s.effects
	if len(p.pending) == 0 {
		return
	}
	if p.notes {
		p.pending = slices.DeleteFunc(p.pending, func(x Effect) bool { return x.To == ToNone })
	}
	if len(p.pending) > 0 {
		for _, r := range p.receivers {
			r.take(p.pending, len(p.pending) > 1 && !p.alone)
		}
	}
	clear(p.arena)
	clear(p.pending)
	p.pending, p.arena, p.notes = p.pending[:0], p.arena[:0], false
	if cap(p.pending) > 1024 || cap(p.arena) > 4096 {
		p.pending, p.arena = nil, nil
	}
}

// separately runs f, whose effects do not belong together.
func (s *Server) separately(f func()) {
	if !s.hasEffects() {
		f()
		return
	}
	s.flushEffects()
	s.effects.alone = true
	f()
	s.flushEffects()
	s.effects.alone = false
}

// setAside hides the pending effects of a busy script from the commands that run meanwhile. The
// returned function brings them back.
func (p *effects) setAside() (restore func()) {
	pending, arena, notes := slices.Clip(p.pending), p.arena, p.notes
	p.pending, p.arena, p.notes = nil, nil, false
	return func() { p.pending, p.arena, p.notes = pending, arena, notes }
}

// ExpireCycle removes at most limit expired keys and hash fields; see
// [datastore.Store.ExpireCycle].
func (s Control) ExpireCycle(limit int) (n int) {
	s.separately(func() { n = s.Store.ExpireCycle(limit) })
	return n
}

// EffectStream writes effects as the commands that a receiver reads.
type EffectStream struct {
	To Target // the receiver

	Selected int // number of the database that the receiver has selected, + 1; 0: not known
}

// Forget makes the stream select the database before the next effect: a receiver that begins
// to read there does not know it.
func (e *EffectStream) Forget() { e.Selected = 0 }

// Append appends the effects for the receiver to dst, in the format of the protocol. If together is
// true, they stand between MULTI and EXEC.
func (e *EffectStream) Append(dst []byte, list []Effect, together bool) []byte {
	if together {
		dst = AppendCommand(e.use(dst, list[0].DB), "MULTI")
	}
	for i := range list {
		if x := &list[i]; x.To&e.To != 0 {
			dst = AppendCommand(e.use(dst, x.DB), x.Args...)
		}
	}
	if together {
		dst = AppendCommand(dst, "EXEC")
	}
	return dst
}

// use appends the command that selects a database, unless it is selected.
func (e *EffectStream) use(dst []byte, db int) []byte {
	if e.Selected == db+1 {
		return dst
	}
	e.Selected = db + 1
	return AppendCommand(dst, "SELECT", strconv.Itoa(db))
}

// AppendCommand appends a command line in RESP to dst.
func AppendCommand(dst []byte, args ...string) []byte {
	dst = strconv.AppendInt(append(dst, '*'), int64(len(args)), 10)
	for _, arg := range args {
		dst = append(dst, "\r\n$"...)
		dst = strconv.AppendInt(dst, int64(len(arg)), 10)
		dst = append(append(dst, "\r\n"...), arg...)
	}
	return append(dst, "\r\n"...)
}

// EffectArg replaces argument i of the command line in the effect of the running command.
func (c *Ctx) EffectArg(i int, arg string) {
	if c.HasEffects() {
		if c.plan.instead == nil {
			c.plan.instead = slices.Clone(c.Args)
		}
		c.plan.instead[i] = arg
	}
}

// Delete removes key, which is the whole effect of the running command: UNLINK if the parameter
// lazily is yes, else DEL.
func (c *Ctx) Delete(key, lazily string) {
	if c.HasEffects() {
		c.EffectIs(c.Server.deletion(lazily), key)
	}
	c.DB.Remove(key, c.Server.Config.Value(lazily) == "yes")
	if lazily == "lazyfree-lazy-expire" && c.Has(servers.PastIsExpired) {
		c.Server.Store.CountExpired(1, 0)
		c.Emit(datastore.ClassExpired, "expired", key)
		return
	}
	c.Emit(datastore.ClassGeneric, "del", key)
}

// FreesLazily reports whether Redis would free in the background what a flush removes. Argument i,
// if there is one, is SYNC or ASYNC.
func (c *Ctx) FreesLazily(i int) bool {
	if i < len(c.Args) {
		return parse.IsToken(c.Args[i], "async")
	}
	return c.Server.Store.Limits().LazyFree.Flush
}

// noteWritten notes where the effects end of what a session has run.
func (s *Server) noteWritten(sess *Session) {
	if s.Replication != nil {
		sess.WriteOffset = s.Replication.Offset()
	}
	if s.Persistence != nil {
		sess.WritePosition = s.Persistence.Position()
	}
}
