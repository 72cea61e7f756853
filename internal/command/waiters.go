package command

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Waiter is a command that waits: for one of its keys to become ready, or for its time to end. A handler begins
// it with [Ctx.wait] and returns; the loop goes on. Who runs the loop takes the waiter with [Server.TakeWaiter] right
// after the command and sets Done.
//
// Invariant: a waiter ends exactly once, by being served, by its time-out, by CLIENT UNBLOCK or by Cancel; from then
// on it stands in no queue.
type Waiter struct {
	// Deadline is the time in ms since the epoch when TimeOut is due; 0 is never.
	Deadline int64
	// Done is called on the loop when the wait has ended with a reply. It must not run commands.
	Done func(reply.Value)

	sess  *Session
	spec  *Spec
	db    *datastore.DB
	args  []string // of the command; its own copy
	muted bool     // CLIENT REPLY drops the reply
	// postponed says that a pause makes the command wait before it has begun.
	postponed bool
	cancelled func() // is called when the wait is cancelled; may be nil
	ended     bool
	handed    *HandedScript // it is no wait: a script that is to be debugged; see Handed

	waiting // what it waits for
	tickets []ticket
}

// waiting says what a command waits for.
type waiting struct {
	on   datastore.Type // of a key that is ready; 0 with no keys
	keys []string
	// serve tries to run the command on a key that may have become ready. It reports false where the command has to
	// wait on.
	serve func(c *Ctx, key string) (v reply.Value, ok bool)
	// late is the reply when the time is out.
	late reply.Value
	// gone, where set, wakes the command also when a stream has got an entry, has lost a group, or is there no more:
	// serve is called whatever is left of the key.
	gone bool
	// quiet, where set, keeps from those who watch or cache a key that the command, after it has waited, takes something from it.
	quiet bool
}

// ticket is a waiter's place in the queue of one key.
type ticket struct {
	w          *Waiter
	q          *waitQueue
	prev, next *ticket
}

// waitQueue holds the waiters of one key, first come first.
type waitQueue struct {
	key        watchKey
	head, tail *ticket
	seq        int64 // queues are numbered in the order in which they came into being
	ready      bool  // it is in waiters.ready
	gone       int   // how many of the waiters have gone set
}

// waiters are all waiters of a server.
type waiters struct {
	queues map[watchKey]*waitQueue
	ready  []*waitQueue // in the order in which the keys became ready
	began  *Waiter      // the one that the running command has begun
	count  int
	timed  int                    // with a deadline
	on     map[datastore.Type]int // how many wait for each type
	seq    int64
	quiet  bool // a waiter with quiet set is being served
}

func newWaiters() waiters {
	return waiters{queues: map[watchKey]*waitQueue{}, on: map[datastore.Type]int{}}
}

// MayWait reports whether a command from this door may wait. Those of transactions and scripts answer as if their
// time were out.
func (d Door) MayWait() bool { return d == DoorClient }

// wait ends the running command without a reply: it waits for what w says, timeout ms at most (0: for ever). From a
// door that lets nobody wait it answers instead.
func (c *Ctx) wait(timeout int64, instead reply.Value, w waiting) reply.Value {
	if !c.Door.MayWait() {
		return instead
	}
	s := c.Server
	x := &Waiter{sess: c.Session, spec: c.Spec, db: c.DB, args: slices.Clone(c.Args), waiting: w}
	if timeout > 0 {
		x.Deadline = math.MaxInt64
		if now := c.Now(); timeout < math.MaxInt64-now {
			x.Deadline = now + timeout
		}
		s.timed++
	}
	x.tickets = make([]ticket, 0, len(w.keys)) // never grows: tickets are linked by address
	for _, key := range w.keys {
		s.enqueue(x, watchKey{c.DB, key})
	}
	s.count++
	s.on[w.on]++
	if !c.Session.shared {
		c.Session.waiting = x
	}
	s.began = x
	return reply.None()
}

// enqueue puts x behind the others that wait for the key, unless it is among them already.
func (s *Server) enqueue(x *Waiter, k watchKey) {
	q := s.queues[k]
	if q == nil {
		s.seq++
		q = &waitQueue{key: k, seq: s.seq}
		s.queues[k] = q
	} else if q.tail.w == x {
		return // the key is named twice: nobody has come in between
	}
	x.tickets = append(x.tickets, ticket{w: x, q: q, prev: q.tail})
	p := &x.tickets[len(x.tickets)-1]
	if q.tail == nil {
		q.head = p
	} else {
		q.tail.next = p
	}
	q.tail = p
	if x.gone {
		q.gone++
	}
}

// dequeue takes p out of its queue, and a queue without waiters out of the table.
func (s *Server) dequeue(p *ticket) {
	q := p.q
	if p.prev == nil {
		q.head = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		q.tail = p.prev
	} else {
		p.next.prev = p.prev
	}
	if p.w.gone {
		q.gone--
	}
	if q.head == nil {
		delete(s.queues, q.key)
	}
}

// TakeWaiter returns the waiter that the last command has begun, or nil when it has been answered.
func (s *Server) TakeWaiter() *Waiter {
	w := s.began
	s.began = nil
	return w
}

// Abandon clears up behind a command that has panicked.
func (s *Server) Abandon() {
	s.level = 0
	s.tracking.pending = nil
	if w := s.TakeWaiter(); w != nil {
		s.Cancel(w)
	}
}

// leave takes w out of all queues. It reports false when w had ended before.
func (s *Server) leave(w *Waiter) bool {
	if w.ended {
		return false
	}
	w.ended = true
	for i := range w.tickets {
		s.dequeue(&w.tickets[i])
	}
	s.count--
	if s.on[w.on]--; s.on[w.on] == 0 {
		delete(s.on, w.on)
	}
	if w.Deadline != 0 && !w.postponed {
		s.timed--
	}
	if w.sess.waiting == w {
		w.sess.waiting = nil
	}
	if i := slices.Index(s.pause.postponed, w); i >= 0 {
		s.pause.postponed = slices.Delete(s.pause.postponed, i, i+1)
	}
	return true
}

// end answers w with v.
func (s *Server) end(w *Waiter, v reply.Value) {
	if !s.leave(w) {
		return
	}
	if v.IsError() {
		s.countError(v)
	}
	if w.muted {
		v = reply.None()
	}
	w.Done(v)
}

// endCounted is end where the wait ended by something else than its time: the nanoseconds that it took to serve it count as a
// call's.
func (s *Server) endCounted(w *Waiter, v reply.Value, nanos int64, failed bool) {
	st := &s.Stats.Calls[w.spec.ID]
	st.Nanos += nanos
	if failed {
		st.Failed++
	}
	if s.Config.tracking && s.Monotonic != nil {
		st.times.add(nanos/1000, 1)
	}
	if s.Monotonic != nil && s.Config.slowerThan >= 0 && nanos/1000 >= s.Config.slowerThan {
		s.noteSlow(w.sess, DoorClient, w.spec, w.args, nanos/1000)
	}
	s.end(w, v)
}

// Cancel ends w without a reply; Done is not called. It reports false when w had ended before.
func (s *Server) Cancel(w *Waiter) bool {
	if !s.leave(w) {
		return false
	}
	if w.cancelled != nil {
		w.cancelled()
	}
	return true
}

// TimeOut ends w because its time has come.
func (s *Server) TimeOut(w *Waiter) {
	if w.postponed {
		s.resumePostponed()
		return
	}
	s.end(w, w.late)
}

// signal is told of every change while there are waiters: it marks the keys that may have become ready. As in Redis
// that is a key that was created with a type that somebody waits for; and, while anybody waits for a stream, a key that has been
// a stream, or has got an entry or lost a group. Who waits there for another type is served then as well.
func (s *Server) signal(ch *datastore.Change) {
	q := s.queues[watchKey{ch.DB, ch.Key}]
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

// signalAll is signal for all keys of a database whose contents have changed as a whole.
func (s *Server) signalAll(db *datastore.DB) {
	if len(s.queues) == 0 {
		return
	}
	from := len(s.ready)
	for k, q := range s.queues {
		if k.db == db && !q.ready {
			s.markReady(q)
		}
	}
	slices.SortFunc(s.ready[from:], func(a, b *waitQueue) int { return int(a.seq - b.seq) })
}

func (s *Server) markReady(q *waitQueue) {
	typ, there := q.key.db.TypeOf(q.key.key)
	if q.gone == 0 && (!there || s.on[typ] == 0) {
		return
	}
	q.ready = true
	s.ready = append(s.ready, q)
}

// Ready reports whether ServeReady has something to do.
func (s *Server) Ready() bool { return len(s.ready) > 0 || s.Config.memory.changed }

// ServeReady serves those who wait for the keys that have become ready, key after key. It is called when a command
// of a client has ended, with all that its transaction or script did.
func (s *Server) ServeReady() {
	if s.Config.memory.changed {
		s.Config.memory.changed = false
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

// serveQueue serves the waiters of one key, in the order in which they came, for as long as it lasts.
func (s *Server) serveQueue(q *waitQueue) {
	for p := q.head; p != nil; {
		next := p.next // stays: a waiter has one place in a queue
		e := q.key.db.Peek(q.key.key)
		if e == nil && q.gone == 0 {
			return
		}
		if w := p.w; w.gone || e != nil && w.on == e.Object().Type() {
			s.serve(w, q.key.key)
		}
		p = next
	}
}

// serve tries one waiter.
func (s *Server) serve(w *Waiter, key string) {
	defer func() {
		if p := recover(); p != nil {
			s.waiters.quiet = false
			s.endCounted(w, s.Panicked(p, w.spec.Name), 0, true)
		}
	}()
	s.level = 0
	start := s.monotonic()
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = w.sess, w.db, w.spec, w.args, w.sess.Proto, DoorClient
	s.waiters.quiet = w.quiet
	v, ok := w.serve(c, key)
	s.waiters.quiet = false
	s.putCtx()
	if ok {
		if w.sess.track != nil {
			s.tellPending(w.sess)
		}
		if events := append(w.sess.early, w.sess.behind...); len(events) > 0 { // who waits gets its reply first
			w.sess.early, w.sess.behind = nil, nil
			last := len(events) - 1
			v = reply.Pushed(events[last], append([]reply.Value{v}, events[:last]...)...)
		}
		s.endCounted(w, v, max(0, s.monotonic()-start), v.IsError())
	}
}
