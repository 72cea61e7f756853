package lock

import "sync"

// waiters are the goroutines that wait for the lock through the same Lock.
type waiters struct {
	mu    sync.Mutex
	lease map[string]chan struct{} // each channel holds one signal
}

func newWaiters() *waiters { return &waiters{lease: map[string]chan struct{}{}} }

// join adds a waiter. woken receives when the waiter should ask again.
func (w *waiters) join(lease string) (woken <-chan struct{}) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lease[lease] = ch
	return ch
}

// leave removes a waiter. If it has an unused signal and did not acquire the lock, another waiter
// gets the signal.
func (w *waiters) leave(lease string, acquired bool) {
	w.mu.Lock()
	ch := w.lease[lease]
	delete(w.lease, lease)
	w.mu.Unlock()
	select {
	case <-ch:
		if !acquired {
			w.wake("")
		}
	default:
	}
}

// wake wakes the waiter with that lease, if it is one of these, or any waiter if lease is empty.
func (w *waiters) wake(lease string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if lease != "" {
		if ch := w.lease[lease]; ch != nil {
			signal(ch)
		}
		return
	}
	for _, ch := range w.lease {
		if signal(ch) {
			return
		}
	}
}

// signal reports whether ch had no signal yet.
func signal(ch chan struct{}) bool {
	select {
	case ch <- struct{}{}:
		return true
	default:
		return false
	}
}
