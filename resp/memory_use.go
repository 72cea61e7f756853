package resp

import (
	"context"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/engine"
)

// held is the memory of a connection in bytes, which the engine's loop reads. The goroutine that
// serves the connection updates it.
type held struct {
	query atomic.Int64 // input that no batch has taken
	room  atomic.Int64 // buffers for input
	args  atomic.Int64 // arguments of the request in progress
	argn  atomic.Int64 // how many these are
	out   atomic.Int64 // the reply buffer
	peak  atomic.Int64 // the most that it has held
}

// reportsFrom is how much a connection holds when it tells the engine of it without being asked.
const reportsFrom = 16 << 10

// input looks at what the parser has left.
func (h *held) input(p *parser) {
	query := p.pending()
	if query == h.query.Load() && p.left == 0 && h.argn.Load() == 0 {
		return
	}
	h.query.Store(query)
	h.room.Store(p.size())
	n, bytes := p.progress()
	h.argn.Store(n)
	h.args.Store(bytes)
}

// replies looks at the reply buffer when it is about to be sent.
func (h *held) replies(out []byte) {
	if int64(len(out)) <= h.peak.Load() {
		return
	}
	h.peak.Store(int64(len(out)))
	h.out.Store(int64(cap(out)))
}

// use tells what the connection holds. Any goroutine may ask.
func (c *connection) use() engine.ConnUse {
	h := &c.held
	return engine.ConnUse{
		Query: h.query.Load(), Room: h.room.Load(), Args: h.args.Load(), ArgN: h.argn.Load(), Output: h.out.Load(), Peak: h.peak.Load(),
		Waiting: c.output.waiting() + c.box.unsent(),
	}
}

// small reports whether the connection holds too little memory to report to the engine.
func (c *connection) small() bool {
	u := c.use()
	return u.Query+u.Args+u.Waiting < reportsFrom
}

// report lets the engine look at what the connection holds, if that is much. It reports whether the connection goes on.
func (c *connection) report(ctx context.Context) bool {
	return c.small() || c.run(ctx)
}
