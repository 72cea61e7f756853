package engine

import (
	"sync"

	"github.com/redmoon-lua/redmoon/reply"
)

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

func (e *Engine) newRequest() *request {
	if r, ok := e.free.pool.Get().(*request); ok {
		return r
	}
	select {
	case r := <-e.free.made:
		return r
	case <-e.free.ended: // the engine is closed: the request will not be sent
		return &request{}
	}
}

// keptArgs is the number of arguments for which a request keeps its memory.
const keptArgs = 1 << 10

func (e *Engine) freeRequest(r *request) {
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
	r.turn, r.left = nil, nil
	r.state.Store(pending)
	e.free.pool.Put(r)
}
