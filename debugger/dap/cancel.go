package dap

import (
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
)

// requestTracker knows which requests were cancelled and which one is being handled. The goroutine
// that reads messages cancels requests while the connection's goroutine handles them.
type requestTracker struct {
	mu        sync.Mutex
	cancelled map[int]bool      // requests that the client has cancelled, by sequence number
	handling  int               // sequence number of the request that is being handled
	inspected *debugger.Session // session that the request inspects; nil: none
}

// begin notes that a request is being handled.
func (t *requestTracker) begin(seq int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.handling = seq
}

// forget removes a cancelled request after it has been answered.
func (t *requestTracker) forget(seq int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.cancelled, seq)
}

// cancelRequest cancels a request: a waiting request will not be handled, and an expression that is
// being evaluated ends.
func (t *requestTracker) cancelRequest(seq int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancelled[seq] = true
	if t.handling == seq && t.inspected != nil {
		t.inspected.Interrupt()
	}
}

// wasCancelled reports whether the client has cancelled request number seq.
func (t *requestTracker) wasCancelled(seq int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cancelled[seq]
}

// setInspected sets the session that the current request inspects, or nil. It returns the number of
// the request.
func (t *requestTracker) setInspected(s *debugger.Session) (seq int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inspected = s
	return t.handling
}
