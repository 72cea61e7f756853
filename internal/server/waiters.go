package server

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// BlockedClient is a command that waits: for one of its keys to become ready, or for its time to
// end. A handler begins it with [Ctx.wait] and returns; the loop goes on. Who runs the loop takes
// the waiter with [Server.TakeBlocked] right after the command and sets Done.
//
// Invariant: a waiter ends exactly once, by being served, by its time-out, by CLIENT UNBLOCK or by
// Cancel; from then on it stands in no queue.
type BlockedClient struct {
	// Deadline is the time in ms since the epoch when TimeOut is due; 0 is never.
	Deadline int64
	// Done is called on the loop when the wait has ended with a reply. It must not run commands.
	Done func(reply.Value)

	Sess  *Session
	Spec  *cmdtable.Spec
	db    *datastore.DB
	Args  []string // of the command; its own copy
	muted bool     // CLIENT REPLY drops the reply
	// postponed says that a pause makes the command wait before it has begun.
	Delayed    bool
	cancelled  func() // is called when the wait is cancelled; may be nil
	Ended      bool
	HandedOver *HandedScript // it is no wait: a script that is to be debugged; see Handed

	BlockOptions // what it waits for
	tickets      []ticket
}

// waiting says what a command waits for.
type BlockOptions struct {
	On   datastore.Type // of a key that is ready; 0 with no keys
	Keys []string
	// serve tries to run the command on a key that may have become ready. It reports false where the
	// command has to wait on.
	Serve func(c *Ctx, key string) (v reply.Value, ok bool)
	// late is the reply when the time is out.
	Late reply.Value
	// gone, where set, wakes the command also when a stream has got an entry, has lost a group, or is
	// there no more: serve is called whatever is left of the key.
	Gone bool
	// quiet, where set, keeps from those who watch or cache a key that the command, after it has
	// waited, takes something from it.
	Quiet bool
}

// ticket is a waiter's place in the queue of one key.
type ticket struct {
	Client     *BlockedClient
	q          *waitQueue
	prev, next *ticket
}

// waitQueue holds the waiters of one key, first come first.
type waitQueue struct {
	key        WatchKey
	Head, tail *ticket
	seq        int64 // queues are numbered in the order in which they came into being
	ready      bool  // it is in waiters.ready
	gone       int   // how many of the waiters have gone set
}

// waiters are all waiters of a server.
type waiters struct {
	Queues  map[WatchKey]*waitQueue
	ready   []*waitQueue   // in the order in which the keys became ready
	Blocked *BlockedClient // the one that the running command has begun
	count   int
	timed   int                    // with a deadline
	on      map[datastore.Type]int // how many wait for each type
	seq     int64
	quiet   bool // a waiter with quiet set is being served
}

func newWaiters() waiters {
	return waiters{Queues: map[WatchKey]*waitQueue{}, on: map[datastore.Type]int{}}
}

// wait ends the running command without a reply: it waits for what w says, timeout ms at most (0:
// for ever). From a door that lets nobody wait it answers instead.
func (c *Ctx) Block(timeout int64, instead reply.Value, w BlockOptions) reply.Value {
	if !c.Door.MayWait() {
		return instead
	}
	s := c.Server
	x := &BlockedClient{Sess: c.Session, Spec: c.Spec, db: c.DB, Args: slices.Clone(c.Args), BlockOptions: w}
	if timeout > 0 {
		x.Deadline = math.MaxInt64
		if now := c.Now(); timeout < math.MaxInt64-now {
			x.Deadline = now + timeout
		}
		s.timed++
	}
	x.tickets = make([]ticket, 0, len(w.Keys)) // never grows: tickets are linked by address
	for _, key := range w.Keys {
		s.enqueue(x, WatchKey{c.DB, key})
	}
	s.count++
	s.on[w.On]++
	if !c.Session.shared {
		c.Session.Waiting = x
	}
	s.Blocked = x
	return reply.None()
}

// enqueue puts x behind the others that wait for the key, unless it is among them already.
func (s *Server) enqueue(x *BlockedClient, k WatchKey) {
	q := s.Queues[k]
	if q == nil {
		s.seq++
		q = &waitQueue{key: k, seq: s.seq}
		s.Queues[k] = q
	} else if q.tail.Client == x {
		return // the key is named twice: nobody has come in between
	}
	x.tickets = append(x.tickets, ticket{Client: x, q: q, prev: q.tail})
	p := &x.tickets[len(x.tickets)-1]
	if q.tail == nil {
		q.Head = p
	} else {
		q.tail.next = p
	}
	q.tail = p
	if x.Gone {
		q.gone++
	}
}

// dequeue takes p out of its queue, and a queue without waiters out of the table.
func (s *Server) dequeue(p *ticket) {
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
	if p.Client.Gone {
		q.gone--
	}
	if q.Head == nil {
		delete(s.Queues, q.key)
	}
}

// TakeBlocked returns the waiter that the last command has begun, or nil when it has been answered.
func (s *Server) TakeBlocked() *BlockedClient {
	w := s.Blocked
	s.Blocked = nil
	return w
}

// Abandon clears up behind a command that has panicked.
func (s *Server) Abandon() {
	s.level = 0
	s.tracking.pending = nil
	if w := s.TakeBlocked(); w != nil {
		s.Cancel(w)
	}
}

// leave takes w out of all queues. It reports false when w had ended before.
func (s *Server) leave(w *BlockedClient) bool {
	if w.Ended {
		return false
	}
	w.Ended = true
	for i := range w.tickets {
		s.dequeue(&w.tickets[i])
	}
	s.count--
	if s.on[w.On]--; s.on[w.On] == 0 {
		delete(s.on, w.On)
	}
	if w.Deadline != 0 && !w.Delayed {
		s.timed--
	}
	if w.Sess.Waiting == w {
		w.Sess.Waiting = nil
	}
	if i := slices.Index(s.Pause.postponed, w); i >= 0 {
		s.Pause.postponed = slices.Delete(s.Pause.postponed, i, i+1)
	}
	return true
}

// end answers w with v.
func (s *Server) End(w *BlockedClient, v reply.Value) {
	if !s.leave(w) {
		return
	}
	if v.IsError() {
		s.CountError(v)
	}
	if w.muted {
		v = reply.None()
	}
	w.Done(v)
}

// EndCounted is end where the wait ended by something else than its time: the nanoseconds that it
// took to serve it count as a call's.
func (s *Server) EndCounted(w *BlockedClient, v reply.Value, nanos int64, failed bool) {
	st := &s.Stats.Calls[w.Spec.ID]
	st.Nanos += nanos
	if failed {
		st.Failed++
	}
	if s.Config.Tracking && s.Monotonic != nil {
		st.Times.add(nanos/1000, 1)
	}
	if s.Monotonic != nil && s.Config.SlowerThan >= 0 && nanos/1000 >= s.Config.SlowerThan {
		s.noteSlow(w.Sess, cmdtable.DoorClient, w.Spec, w.Args, nanos/1000)
	}
	s.End(w, v)
}

// Cancel ends w without a reply; Done is not called. It reports false when w had ended before.
func (s *Server) Cancel(w *BlockedClient) bool {
	if !s.leave(w) {
		return false
	}
	if w.cancelled != nil {
		w.cancelled()
	}
	return true
}

// TimeOut ends w because its time has come.
func (s *Server) TimeOut(w *BlockedClient) {
	if w.Delayed {
		s.ResumePostponed()
		return
	}
	s.End(w, w.Late)
}

// signal is told of every change while there are waiters: it marks the keys that may have become
// ready. As in Redis that is a key that was created with a type that somebody waits for; and, while
// anybody waits for a stream, a key that has been a stream, or has got an entry or lost a group.
// Who waits there for another type is served then as well.
func (s *Server) signal(ch *datastore.Change) {
	q := s.Queues[WatchKey{ch.DB, ch.Key}]
	if q == nil || q.ready {
		return
	}
	switch {
	case ch.Class == datastore.ClassNew:
		s.markReady(q)
	case s.on[datastore.TypeStream] > 0 && (ch.Class == datastore.ClassGone || ch.Event == "xadd" || ch.Event == "xgroup-destroy"):
		q.ready = true
		s.ready = append(s.ready, q)
	}
}

// SignalAll is signal for all keys of a database whose contents have changed as a whole.
func (s *Server) SignalAll(db *datastore.DB) {
	if len(s.Queues) == 0 {
		return
	}
	from := len(s.ready)
	for k, q := range s.Queues {
		if k.DB == db && !q.ready {
			s.markReady(q)
		}
	}
	slices.SortFunc(s.ready[from:], func(a, b *waitQueue) int { return int(a.seq - b.seq) })
}

func (s *Server) markReady(q *waitQueue) {
	typ, there := q.key.DB.TypeOf(q.key.Key)
	if q.gone == 0 && (!there || s.on[typ] == 0) {
		return
	}
	q.ready = true
	s.ready = append(s.ready, q)
}

// Ready reports whether ServeReady has something to do.
func (s *Server) Ready() bool { return len(s.ready) > 0 || s.Config.Memory.Changed }

// ServeReady serves those who wait for the keys that have become ready, key after key. It is called
// when a command of a client has ended, with all that its transaction or script did.
func (s *Server) ServeReady() {
	if s.Config.Memory.Changed {
		s.Config.Memory.Changed = false
		s.Evict()
	}
	for i := 0; i < len(s.ready); i++ { // serving may make further keys ready
		q := s.ready[i]
		q.ready = false
		s.serveQueue(q)
	}
	clear(s.ready)
	s.ready = s.ready[:0]
	s.Store.Settle()
}

// serveQueue serves the waiters of one key, in the order in which they came, for as long as it
// lasts.
func (s *Server) serveQueue(q *waitQueue) {
	for p := q.Head; p != nil; {
		next := p.next // stays: a waiter has one place in a queue
		e := q.key.DB.Peek(q.key.Key)
		if e == nil && q.gone == 0 {
			return
		}
		if w := p.Client; w.Gone || e != nil && w.On == e.Object().Type() {
			s.serve(w, q.key.Key)
		}
		p = next
	}
}

// serve tries one waiter.
func (s *Server) serve(w *BlockedClient, key string) {
	defer func() {
		if p := recover(); p != nil {
			s.waiters.quiet = false
			s.EndCounted(w, s.Panicked(p, w.Spec.Name), 0, true)
		}
	}()
	s.level = 0
	start := s.monotonic()
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = w.Sess, w.db, w.Spec, w.Args, w.Sess.Proto, cmdtable.DoorClient
	s.waiters.quiet = w.Quiet
	v, ok := w.Serve(c, key)
	s.waiters.quiet = false
	s.putCtx()
	if ok {
		if w.Sess.Track != nil {
			s.sendPending(w.Sess)
		}
		if events := append(w.Sess.OwnPushes, w.Sess.AfterReply...); len(events) > 0 { // who waits gets its reply first
			w.Sess.OwnPushes, w.Sess.AfterReply = nil, nil
			last := len(events) - 1
			v = reply.Pushed(events[last], append([]reply.Value{v}, events[:last]...)...)
		}
		s.EndCounted(w, v, max(0, s.monotonic()-start), v.IsError())
	}
}
