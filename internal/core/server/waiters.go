package server

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// BlockedClient is a command that waits for one of its keys to become ready or for its time-out. A
// handler begins the wait with [Ctx.Block] and returns, and the loop goes on. Right after the
// command the engine takes the waiter with [Control.TakeBlocked] and sets Done.
//
// Invariant: a waiter ends exactly once: it is served, it times out, or it is ended by CLIENT
// UNBLOCK or Cancel. An ended waiter is in no queue.
type BlockedClient struct {
	// Deadline is the time in ms since the epoch when TimeOut is due; 0 is never.
	Deadline int64
	// Rearm is called on the loop when Retry has changed. Then TimeOut is due at the earlier of Retry
	// and Deadline.
	Rearm func()
	// Done is called on the loop when the wait has ended with a reply. It must not run commands.
	Done func(reply.Value)

	Sess  *Session
	Spec  *cmdtable.Spec
	db    *datastore.DB
	Args  []string // own copy of the command's arguments
	muted bool     // CLIENT REPLY drops the reply
	// Delayed is set if a pause makes the command wait before it has begun.
	Delayed    bool
	cancelled  func() // called when the wait is cancelled; optional
	Ended      bool
	HandedOver *HandedScript // a script to debug, instead of a wait; see Handed

	BlockOptions
	tickets []ticket
}

// BlockOptions says what a command waits for.
type BlockOptions struct {
	On   datastore.Type // type of the key; 0 without keys
	Keys []string
	// Serve tries to run the command on a key that may be ready. It returns false if the command must
	// go on waiting.
	Serve func(c *Ctx, key string) (v reply.Value, ok bool)
	// Late is the reply after the time-out. LateReply, if it is not nil, makes it.
	Late      reply.Value
	LateReply func() reply.Value
	// UnblockOnNoKey also wakes a command that waits for a stream when the stream has got an entry,
	// has lost a group, or was removed. Serve is then called even if the key is missing or has another
	// type.
	UnblockOnNoKey bool
	// Retry is the time in ms since the epoch at which Serve must be tried although no key has become
	// ready; 0 is never. Serve sets the next one with [Ctx.RetryAt].
	Retry int64
	// HidesChanges hides from the sessions that watch or cache the key what the command removes from
	// it after its wait. As in Redis, that does not count as a change either. It is ignored with
	// [servers.ServedIsChange].
	HidesChanges bool
}

// ticket is a waiter's place in the queue of one key.
type ticket struct {
	Client     *BlockedClient
	q          *waitQueue
	prev, next *ticket
}

// waitQueue holds the waiters of one key, first come first.
type waitQueue struct {
	key            WatchKey
	Head, tail     *ticket
	seq            int64 // number of the queue, in order of creation
	ready          bool  // it is in waiters.readyQueues
	unblockOnNoKey int   // number of waiters with UnblockOnNoKey set
}

// waiters are all waiters of a server.
type waiters struct {
	Queues        map[WatchKey]*waitQueue
	readyQueues   []*waitQueue   // in the order in which their keys became ready
	Blocked       *BlockedClient // the wait that the running command has begun
	waiterCount   int
	timedWaiters  int                    // number of waiters with a deadline
	waitersByType map[datastore.Type]int // number of waiters, by the type that they wait for
	lastQueue     int64                  // number of the newest queue
	retry         int64                  // the time that RetryAt has set
	hidesChanges  bool                   // a waiter with HidesChanges set is being served
}

func newWaiters() waiters {
	return waiters{Queues: map[WatchKey]*waitQueue{}, waitersByType: map[datastore.Type]int{}}
}

// Block ends the running command without a reply: it waits as w says, for at most timeout ms (0:
// for ever). At a door where commands cannot wait it returns instead.
func (c *Ctx) Block(timeout int64, instead reply.Value, w BlockOptions) reply.Value {
	if !c.Door.MayWait() {
		return instead
	}
	s := c.Server
	x := &BlockedClient{Sess: c.Session, Spec: c.Spec, db: c.DB, Args: slices.Clone(c.Args), BlockOptions: w}
	x.HidesChanges = w.HidesChanges && !c.Has(servers.ServedIsChange)
	if timeout > 0 {
		x.Deadline = math.MaxInt64
		if now := c.Now(); timeout < math.MaxInt64-now {
			x.Deadline = now + timeout
		}
		s.timedWaiters++
	}
	x.tickets = make([]ticket, 0, len(w.Keys)) // never grows: tickets are linked by address
	for _, key := range w.Keys {
		s.enqueue(x, WatchKey{c.DB, key})
	}
	s.waiterCount++
	s.waitersByType[w.On]++
	if !c.Session.shared {
		c.Session.Waiting = x
	}
	s.Blocked = x
	return reply.None()
}

// enqueue adds x to the end of the key's queue. It does nothing if x is in the queue already.
func (s *waiters) enqueue(x *BlockedClient, k WatchKey) {
	q := s.Queues[k]
	if q == nil {
		s.lastQueue++
		q = &waitQueue{key: k, seq: s.lastQueue}
		s.Queues[k] = q
	} else if q.tail.Client == x {
		return // the command names the key twice, so no other waiter came in between
	}
	x.tickets = append(x.tickets, ticket{Client: x, q: q, prev: q.tail})
	p := &x.tickets[len(x.tickets)-1]
	if q.tail == nil {
		q.Head = p
	} else {
		q.tail.next = p
	}
	q.tail = p
	if x.UnblockOnNoKey {
		q.unblockOnNoKey++
	}
}

// dequeue removes p from its queue, and removes the queue if it is empty.
func (s *waiters) dequeue(p *ticket) {
	q := p.q
	if p.prev == nil {
		q.Head = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		q.tail = p.prev
	} else {
		p.next.prev = p.prev
	}
	if p.Client.UnblockOnNoKey {
		q.unblockOnNoKey--
	}
	if q.Head == nil {
		delete(s.Queues, q.key)
	}
}

// TakeBlocked returns the wait that the last command has begun, or nil if the command has been
// answered.
func (s Control) TakeBlocked() *BlockedClient {
	w := s.Blocked
	s.Blocked = nil
	return w
}

// Abandon resets the state after a command that has panicked.
func (s Control) Abandon() {
	s.level, s.Run.stat = 0, nil
	for _, c := range s.levels {
		c.forget()
	}
	s.flushEffects()
	s.tracking.pending = nil
	if w := s.TakeBlocked(); w != nil {
		s.cancel(w)
	}
}

// leave removes w from all queues. It returns false if w had ended before.
func (s *Server) leave(w *BlockedClient) bool {
	if w.Ended {
		return false
	}
	w.Ended = true
	for i := range w.tickets {
		s.dequeue(&w.tickets[i])
	}
	s.waiterCount--
	if s.waitersByType[w.On]--; s.waitersByType[w.On] == 0 {
		delete(s.waitersByType, w.On)
	}
	if w.Deadline != 0 && !w.Delayed {
		s.timedWaiters--
	}
	if w.Sess.Waiting == w {
		w.Sess.Waiting = nil
	}
	if i := slices.Index(s.Pause.postponed, w); i >= 0 {
		s.Pause.postponed = slices.Delete(s.Pause.postponed, i, i+1)
	}
	return true
}

// Unblock answers w with v.
func (s *Server) Unblock(w *BlockedClient, v reply.Value) {
	if !s.leave(w) {
		return
	}
	if !w.Delayed && s.Follows.Has(servers.CountedAfterWait) {
		s.countCall(w.Sess, w.Spec)
	}
	if !w.Delayed && s.Config.SizeLog.On && !w.muted {
		s.noteSizes(w.Sess, cmdtable.DoorClient, w.Spec, w.Args, v)
	}
	if v.IsError() {
		s.Stats.CountError(v)
	}
	if w.muted {
		v = reply.None()
	}
	if s.probe != nil && s.probe.Unblocked != nil {
		s.probe.Unblocked(w.Sess, v)
	}
	w.Done(v)
}

// UnblockWithStats is Unblock for a wait that did not time out. nanos, the time that serving it
// took, counts as the time of a call.
func (s *Server) UnblockWithStats(w *BlockedClient, v reply.Value, nanos int64, failed bool) {
	st := s.Stats.Calls.Of(w.Spec.ID)
	st.Nanos += nanos
	if failed {
		st.Failed++
	}
	if s.Config.LatencyTracking {
		st.Times.add(nanos/1000, 1)
	}
	if s.Config.SlowlogSlowerThan >= 0 && nanos/1000 >= s.Config.SlowlogSlowerThan {
		s.noteSlow(w.Sess, cmdtable.DoorClient, w.Spec, w.Args, nanos/1000)
	}
	s.Unblock(w, v)
}

// cancel ends w without a reply; Done is not called. It returns false if w had ended before.
func (s *Server) cancel(w *BlockedClient) bool {
	if !s.leave(w) {
		return false
	}
	if w.cancelled != nil {
		w.cancelled()
	}
	return true
}

// Due is the time in ms since the epoch when TimeOut is due; 0 is never.
func (w *BlockedClient) Due() int64 {
	if w.Deadline == 0 || w.Retry != 0 && w.Retry < w.Deadline {
		return w.Retry
	}
	return w.Deadline
}

// RetryAt sets the time at which the command that is being served must be tried again. See
// BlockOptions.Retry.
func (c *Ctx) RetryAt(at int64) { c.Server.waiters.retry = at }

// TimeOut tries w again or, if its deadline has passed, ends it.
func (s Control) TimeOut(w *BlockedClient) {
	if w.Delayed {
		s.resumePostponed()
		return
	}
	if w.Retry != 0 && w.Due() == w.Retry && w.Retry != w.Deadline && w.Rearm != nil && !w.Ended {
		w.Retry = 0
		s.Store.BeginCommand()
		s.serve(w, w.Keys[0])
		s.flushEffects()
		s.Store.UpdateUsed()
		if !w.Ended {
			w.Rearm()
		}
		return
	}
	s.Unblock(w, w.TimedOut())
}

// TimedOut returns the reply of a wait whose time is over.
func (w *BlockedClient) TimedOut() reply.Value {
	if w.LateReply != nil {
		return w.LateReply()
	}
	return w.Late
}

// signal receives every change while there are waiters, and marks the keys that may have become
// ready. As in Redis, these are new keys of a type that some command waits for. While a command
// waits for a stream, they are also keys that were a stream, got an entry or lost a group. All
// waiters of a marked key are tried, regardless of their type.
func (s *waiters) signal(ch *datastore.Change) {
	q := s.Queues[WatchKey{ch.DB, ch.Key}]
	if q == nil || q.ready {
		return
	}
	switch {
	case ch.Class == datastore.ClassNew:
		s.markReady(q)
	case s.waitersByType[datastore.TypeStream] > 0 && (ch.Class == datastore.ClassGone || ch.Event == "xadd" || ch.Event == "xgroup-destroy"):
		q.ready = true
		s.readyQueues = append(s.readyQueues, q)
	}
}

// SignalAll marks all keys of a database whose contents were replaced.
func (s *waiters) SignalAll(db *datastore.DB) {
	if len(s.Queues) == 0 {
		return
	}
	from := len(s.readyQueues)
	for k, q := range s.Queues {
		if k.DB == db && !q.ready {
			s.markReady(q)
		}
	}
	slices.SortFunc(s.readyQueues[from:], func(a, b *waitQueue) int { return int(a.seq - b.seq) })
}

func (s *waiters) markReady(q *waitQueue) {
	typ, there := q.key.DB.TypeOf(q.key.Key)
	if q.unblockOnNoKey == 0 && (!there || s.waitersByType[typ] == 0) {
		return
	}
	q.ready = true
	s.readyQueues = append(s.readyQueues, q)
}

// Ready reports whether ServeReady has something to do.
func (s Control) Ready() bool { return len(s.readyQueues) > 0 || s.Config.Memory.Changed }

// ServeReady serves the waiters of the keys that have become ready, in order. It is called when a
// command of a client has ended, with all of its transaction or script.
func (s Control) ServeReady() {
	if s.Config.Memory.Changed {
		s.Config.Memory.Changed = false
		s.evict()
	}
	if len(s.readyQueues) > 0 {
		s.Store.BeginCommand() // what has expired while the command ran is not there for those who wait
	}
	for i := 0; i < len(s.readyQueues); i++ { // serving may make further keys ready
		q := s.readyQueues[i]
		q.ready = false
		s.serveQueue(q)
	}
	clear(s.readyQueues)
	s.readyQueues = s.readyQueues[:0]
	s.flushEffects() // keys that were found expired
	s.Store.UpdateUsed()
}

// serveQueue serves the waiters of one key in order until the key is used up.
func (s *Server) serveQueue(q *waitQueue) {
	for p := q.Head; p != nil; {
		next := p.next // saved, because serving removes p from the queue
		e := q.key.DB.Peek(q.key.Key)
		if e == nil && q.unblockOnNoKey == 0 {
			return
		}
		if w := p.Client; w.UnblockOnNoKey || e != nil && w.On == e.Object().Type() {
			s.serve(w, q.key.Key)
		}
		p = next
	}
}

// serve tries one waiter.
func (s *Server) serve(w *BlockedClient, key string) {
	defer func() {
		if p := recover(); p != nil {
			s.waiters.hidesChanges, s.levels[0].Waited = false, false
			s.UnblockWithStats(w, s.Owner.Panicked(p, w.Spec.Name), 0, true)
		}
	}()
	s.level = 0
	start := s.Owner.Monotonic()
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = w.Sess, w.db, w.Spec, w.Args, w.Sess.Proto, cmdtable.DoorClient
	s.waiters.hidesChanges = w.HidesChanges
	c.plan, c.Waited = plan{}, true
	dirty := s.Store.Dirty()
	s.waiters.retry = w.Retry
	v, ok := w.Serve(c, key)
	if again := s.waiters.retry; !ok && again != w.Retry && w.Rearm != nil {
		w.Retry = again
		w.Rearm()
	}
	c.Waited = false
	s.waiters.hidesChanges = false
	if s.hasEffects() {
		s.commandEffect(c, dirty)
		s.flushEffects()
	}
	if w.HidesChanges {
		c.DB.AddDirty(dirty - s.Store.Dirty())
	}
	s.putCtx()
	if ok {
		if w.Sess.Track != nil {
			s.sendPending(w.Sess)
		}
		events := slices.Concat(w.Sess.OwnPushes, w.Sess.AfterReply, w.Sess.AfterAll)
		if len(events) > 0 { // the blocked client gets its reply first
			w.Sess.OwnPushes, w.Sess.AfterReply, w.Sess.AfterAll = nil, nil, nil
			last := len(events) - 1
			v = reply.Pushed(events[last], append([]reply.Value{v}, events[:last]...)...)
		}
		s.UnblockWithStats(w, v, max(0, s.Owner.Monotonic()-start), v.IsError())
	}
}
