package persist

import (
	"slices"
	"sync"
)

// worker runs functions that touch the disk, one after the other, on a goroutine that exists while
// there are some.
type worker struct {
	mu   sync.Mutex
	idle sync.Cond
	list []func()
	runs bool
}

func newWorker() *worker {
	w := &worker{}
	w.idle.L = &w.mu
	return w
}

// do runs f after the functions before it.
func (w *worker) do(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, f)
	if !w.runs {
		w.runs = true
		go w.run()
	}
}

func (w *worker) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.list) > 0 {
		f := w.list[0]
		w.list = slices.Delete(w.list, 0, 1)
		w.mu.Unlock()
		f()
		w.mu.Lock()
	}
	w.runs = false
	w.idle.Broadcast()
}

// wait returns when all functions have run.
func (w *worker) wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.runs {
		w.idle.Wait()
	}
}
