package queue

import (
	"sync"
	"sync/atomic"
)

// Consumer is the receiving side of a queue.
type Consumer[T any] struct {
	// Start is called before the pump starts. The queue is locked: Start must not call its methods.
	// Optional.
	Start func()
	// Deliver takes the items in order, one or more at a time, on the pump. It may keep the slice.
	// It must return soon after the queue has been closed; [Queue.Over] says when.
	Deliver func(items []T)
	// End is called once after the last Deliver: on the pump, or by End or Close if the pump was
	// never started. Optional.
	End func()
}

// Queue is an unbounded queue. It also counts the size of the items that have not been handed over.
// Make it with [New].
type Queue[T any] struct {
	to      Consumer[T]
	started atomic.Bool   // the pump has been started
	done    chan struct{} // closed after Consumer.End

	mu      sync.Mutex
	changed sync.Cond     // an item was added, or the queue has ended
	over    chan struct{} // closed by Close; nil: nobody has asked for it
	items   []T
	waiting int64
	ended   bool  // no more items are accepted
	err     error // the error of Close, or nil
}

// New returns a queue for a consumer.
func New[T any](to Consumer[T]) *Queue[T] {
	q := &Queue[T]{to: to, done: make(chan struct{})}
	q.changed.L = &q.mu
	return q
}

// Put adds an item and returns the size of all items that wait, including those that are being
// delivered. It does not wait. It returns 0 and drops the item after End or Close.
//
// If that size reaches limit (0: no limit), Put drops all items whose delivery has not begun. The
// caller must then close the queue: items that it would close out must not be delivered meanwhile.
func (q *Queue[T]) Put(item T, size, limit int64) (waiting int64) {
	return q.Add(limit, func(items []T) ([]T, int64) { return append(items, item), size })
}

// Add is Put for an item that may be joined with the last one. It calls f with the items whose
// delivery has not begun; f returns them with the item, and its size. The queue is locked: f must
// not call its methods.
func (q *Queue[T]) Add(limit int64, f func(items []T) (_ []T, size int64)) (waiting int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return 0
	}
	items, size := f(q.items)
	q.items = items
	q.waiting += size
	if limit > 0 && q.waiting >= limit {
		q.items = nil
		return q.waiting
	}
	q.start()
	q.changed.Signal()
	return q.waiting
}

// Start starts the pump before the first item.
func (q *Queue[T]) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.start()
	}
}

// start starts the pump, if it has not been started. The caller must hold mu.
func (q *Queue[T]) start() {
	if q.started.Load() {
		return
	}
	if q.to.Start != nil {
		q.to.Start()
	}
	q.started.Store(true)
	go q.pump()
}

// Started reports whether the pump has been started. What Consumer.Start has written is visible if
// it returns true.
func (q *Queue[T]) Started() bool { return q.started.Load() }

// Delivered records that items of a total size have been handed over. Deliver calls it.
func (q *Queue[T]) Delivered(size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting -= size
}

// Waiting returns the size of all items that have not been handed over. Close does not change it.
func (q *Queue[T]) Waiting() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// End lets the queue end after the items that it holds have been delivered.
func (q *Queue[T]) End() {
	q.mu.Lock()
	q.finish()
}

// Close ends the queue with err and drops its items. err must not be nil. It does not wait for a
// Deliver that is running. A second call does nothing.
func (q *Queue[T]) Close(err error) {
	q.mu.Lock()
	if q.err != nil {
		q.mu.Unlock()
		return
	}
	q.err, q.items = err, nil
	if q.over != nil {
		close(q.over)
	}
	q.finish()
}

// finish makes the queue accept no more items, and unlocks mu, which the caller must hold.
func (q *Queue[T]) finish() {
	never := !q.ended && !q.started.Load()
	q.ended = true
	q.changed.Signal()
	q.mu.Unlock()
	if never {
		q.leave()
	}
}

// Err returns the error of Close, or nil.
func (q *Queue[T]) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Over returns a channel that is closed when Close is called.
func (q *Queue[T]) Over() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over == nil {
		q.over = make(chan struct{})
		if q.err != nil {
			close(q.over)
		}
	}
	return q.over
}

// Done returns a channel that is closed when nothing more is delivered and Consumer.End has
// returned.
func (q *Queue[T]) Done() <-chan struct{} { return q.done }

// pump delivers the items until the queue has ended.
func (q *Queue[T]) pump() {
	defer q.leave()
	for {
		items := q.take()
		if items == nil {
			return
		}
		q.to.Deliver(items)
	}
}

// take waits for items. It returns nil if the queue has ended.
func (q *Queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.ended {
		q.changed.Wait()
	}
	items := q.items
	q.items = nil
	return items
}

func (q *Queue[T]) leave() {
	defer close(q.done)
	if q.to.End != nil {
		q.to.End()
	}
}
