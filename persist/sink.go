package persist

import (
	"io"
	"sync"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// sink writes a file on a goroutine of its own, so that the loop does not wait for the disk.
type sink struct {
	file    disk.File
	flush   bool   // flush from time to time (rdb-save-incremental-fsync)
	drained func() // called when the sink is not full any more

	mu     sync.Mutex
	wake   sync.Cond
	queue  [][]byte
	size   int64 // bytes of queue
	full   bool
	ended  bool
	err    error
	synced int64 // bytes since the last flush
	done   chan struct{}
}

const (
	sinkFull  = 8 << 20 // bytes from which the sink is full
	sinkFlush = 4 << 20 // bytes between two flushes
)

func newSink(file disk.File, flush bool, drained func()) *sink {
	k := &sink{file: file, flush: flush, drained: drained, done: make(chan struct{})}
	k.wake.L = &k.mu
	go k.run()
	return k
}

// Write takes a copy of p. It returns the error of an earlier write.
func (k *sink) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return 0, k.err
	}
	k.queue = append(k.queue, append([]byte(nil), p...))
	k.size += int64(len(p))
	k.wake.Signal()
	return len(p), nil
}

// isFull reports whether the writer should wait until drained is called.
func (k *sink) isFull() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.full = k.size >= sinkFull && k.err == nil
	return k.full
}

// run is the goroutine.
func (k *sink) run() {
	defer close(k.done)
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		for len(k.queue) == 0 && !k.ended {
			k.wake.Wait()
		}
		if len(k.queue) == 0 {
			return
		}
		list := k.queue
		k.queue = nil
		failed := k.err != nil
		k.mu.Unlock()
		var err error
		n := int64(0)
		for _, p := range list {
			n += int64(len(p))
			if err == nil && !failed {
				err = k.write(p)
			}
		}
		k.mu.Lock()
		k.size -= n
		if k.err == nil {
			k.err = err
		}
		if k.full && (k.size < sinkFull/2 || k.err != nil) {
			k.full = false
			k.mu.Unlock()
			k.drained()
			k.mu.Lock()
		}
	}
}

func (k *sink) write(p []byte) error {
	n, err := k.file.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if k.synced += int64(n); err == nil && k.flush && k.synced >= sinkFlush {
		k.synced = 0
		err = k.file.Sync()
	}
	return err
}

// finish waits until everything is written, flushes the file if flush is true, and closes it.
func (k *sink) finish(flush bool) error {
	k.mu.Lock()
	k.ended = true
	k.wake.Signal()
	k.mu.Unlock()
	<-k.done
	err := k.err
	if err == nil && flush {
		err = k.file.Sync()
	}
	if closeErr := k.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
