package engine

import (
	"sync/atomic"
	"time"
)

// imaging steps the image of the keyspace that is being written. While there is something to write,
// a goroutine sends one request for each step: the steps alternate with the requests of callers.
type imaging struct {
	state atomic.Int32 // of the goroutine
}

// The states.
const (
	imageIdle    int32 = iota // there is no goroutine
	imageStepped              // the goroutine runs
	imageAgain                // the goroutine runs, and must not end before one more step
)

// imageRest is the time between two steps while other requests come. It bounds the share of the
// loop that the image takes.
const imageRest = 500 * time.Microsecond

// stepImageSoon makes the goroutine run. It may be called from any goroutine.
func (e *Engine) stepImageSoon() {
	if e.files.imaging.state.Swap(imageAgain) == imageIdle {
		e.inflight.Add(1) // Close waits for it
		go e.stepImage()
	}
}

// stepImage is the goroutine.
func (e *Engine) stepImage() {
	defer e.inflight.Add(-1)
	for {
		e.files.imaging.state.Store(imageStepped)
		for more, taken := true, uint64(0); more; {
			var before uint64
			var rest time.Duration
			if e.onLoop(func() {
				before = e.taken
				more, rest = e.server.StepImage()
			}) != nil {
				e.files.imaging.state.Store(imageIdle)
				return // closed
			}
			if more && before != taken+1 {
				rest = max(rest, imageRest)
			}
			if rest > 0 {
				time.Sleep(rest)
			}
			taken = before
		}
		if e.files.imaging.state.CompareAndSwap(imageStepped, imageIdle) {
			return
		}
	}
}
