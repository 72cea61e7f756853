package resp

import (
	"context"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// memoryUse is the memory of a connection in bytes, and its traffic. The goroutine that serves the
// connection updates it, and the engine's loop reads it.
type memoryUse struct {
	query atomic.Int64 // input that is not yet in a batch
	room  atomic.Int64 // input buffers
	args  atomic.Int64 // arguments of the request in progress
	argn  atomic.Int64 // number of these arguments
	out   atomic.Int64 // the reply buffer
	peak  atomic.Int64 // greatest size of the reply buffer

	received atomic.Int64 // all bytes read
	sent     atomic.Int64 // all bytes sent, except those of the outbox
}

// reportsFrom is the memory in bytes from which a connection reports its memory to the engine
// without a command.
const reportsFrom = 16 << 10

// input updates the numbers of the parser.
func (h *memoryUse) input(p *parser) {
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

// replies updates the numbers of the reply buffer, which is about to be sent.
func (h *memoryUse) replies(out []byte) {
	if int64(len(out)) <= h.peak.Load() {
		return
	}
	h.peak.Store(int64(len(out)))
	h.out.Store(int64(cap(out)))
}

// use returns the memory of the connection, and its traffic. Any goroutine may call it.
func (c *connection) use() enginedoor.ConnUse {
	h := &c.memory
	return enginedoor.ConnUse{
		Query: h.query.Load(), Room: h.room.Load(), Args: h.args.Load(), ArgN: h.argn.Load(), Output: h.out.Load(), Peak: h.peak.Load(),
		Waiting:  c.output.waiting() + c.box.unsent(),
		Received: h.received.Load(), Sent: h.sent.Load() + c.box.sentInAll(),
	}
}

// small reports whether the connection holds too little memory to report to the engine.
func (c *connection) small() bool {
	u := c.use()
	return u.Query+u.Args+u.Waiting < reportsFrom
}

// report reports the memory of the connection to the engine, if it is not small. It returns false
// if the connection must end.
func (c *connection) report(ctx context.Context) bool {
	return c.small() || c.run(ctx)
}
