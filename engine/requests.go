package engine

import (
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/reply"
)

// mailbox is how requests reach the loop.
type mailbox struct {
	requests chan *request // the command channel; never closed
	first    chan *request // holds at most one request: the loop has taken it from requests and waits for owner
	free     requests      // the pool of unused requests
	inflight atomic.Int64  // calls between their first and last touch of requests
	closed   atomic.Bool
	stopped  chan struct{}  // closed when the loop has ended
	self     atomic.Uintptr // the goroutine that runs the loop; 0: unknown
	owner    sync.Mutex     // held while running the loop, by its goroutine or a borrower
}

// newMailbox returns a mailbox with room for so many requests.
func newMailbox(length int) mailbox {
	return mailbox{requests: make(chan *request, length), first: make(chan *request, 1), free: newRequests(), stopped: make(chan struct{})}
}

// requests is an engine's pool of requests. Engines do not share requests.
//
// A channel that is made in a bubble of testing/synctest must not be used outside that bubble, and
// a caller may be in a bubble that the engine is not in. So a goroutine of the engine, the maker,
// makes all requests and their channels. Every caller may use them.
type requests struct {
	// A pointer, because the garbage collector keeps a sync.Pool, and the object that contains it, for
	// two more cycles.
	pool  *sync.Pool
	made  chan *request
	quit  chan struct{} // closed to end the maker
	ended chan struct{} // closed when the maker has ended
}

func newRequests() requests {
	p := requests{pool: new(sync.Pool), made: make(chan *request), quit: make(chan struct{}), ended: make(chan struct{})}
	go p.make()
	return p
}

// make runs the maker, which provides new requests until close.
func (p *requests) make() {
	defer close(p.ended)
	for {
		select {
		case p.made <- &request{done: make(chan struct{}, 1)}:
		case <-p.quit:
			return
		}
	}
}

// close ends the maker.
func (p *requests) close() {
	close(p.quit)
	<-p.ended
}

func (m *mailbox) newRequest() *request {
	if r, ok := m.free.pool.Get().(*request); ok {
		return r
	}
	select {
	case r := <-m.free.made:
		return r
	case <-m.free.ended: // the engine is closed: the request will not be sent
		return &request{}
	}
}

// keptArgs is the number of arguments for which a request keeps its memory.
const keptArgs = 1 << 10

func (m *mailbox) freeRequest(r *request) {
	clear(r.args)
	if r.args = r.args[:0]; cap(r.args) > keptArgs {
		r.args = nil
	}
	r.kind = commandRequest
	if r.cancellable { // else nobody has touched these
		r.abandoned.Store(false)
		r.stop.Reset()
	}
	r.cancellable = false
	r.sess, r.script, r.debug, r.batch, r.fn, r.suspended, r.reply, r.err = nil, nil, nil, nil, nil, nil, reply.Value{}, nil
	r.debugged = nil
	r.turn, r.left = nil, nil
	r.state.Store(pending)
	m.free.pool.Put(r)
}
