package replay

// The part of the recording that has been read ahead, and the operation that is next.

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Sizes of the window: how far the recording is read ahead of what runs next.
const (
	aheadLines = 4096
	aheadBytes = 64 << 20
	maxWindow  = 2 * recording.MaxPending // if the requests have no replies there
)

var errWindow = fmt.Errorf("the recording has more than %d bytes of requests without replies", int64(maxWindow))

// window is the part of the recording that has been read and has not run.
type window struct {
	src     *recording.Reader
	table   *cmdtable.Table
	clients map[int64]*client
	heads   heads // clients whose oldest operation is resolved
	// arrived are the operations that have not run, in the order of their requests. doneCount of them
	// are done and will be dropped.
	arrived   []*operation
	doneCount int
	blocking  []*operation // commands that may wait, in the order of their requests; some are done
	line      int64        // last line that has been read
	bytes     int64        // of requests and replies in the window
	pushes    int64        // bytes of recorded pushes that have not been compared
	ended     bool         // the end of the recording has been reached
	err       error        // why it could not be read to the end

	lost     int64 // requests without a reply
	unparsed int64 // connections that were not recorded to their end
}

// heads is a heap of clients by the order in which their oldest operations run.
type heads []*client

func (h heads) Len() int { return len(h) }
func (h heads) Less(i, j int) bool {
	return h[i].operations[0].preferredLine < h[j].operations[0].preferredLine
}
func (h heads) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *heads) Push(x any) {
	c := x.(*client)
	c.index = len(*h)
	*h = append(*h, c)
}

func (h *heads) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	c.index = -1
	(*h)[last] = nil
	*h = (*h)[:last]
	return c
}

// readAhead reads on until enough lies ahead of the operation that runs next. It returns that
// operation, or nil at the end of the recording.
func (w *window) readAhead() *operation {
	for !w.ended {
		if len(w.heads) > 0 &&
			(w.line >= w.heads[0].operations[0].preferredLine+aheadLines || w.bytes > aheadBytes) {
			break
		}
		if w.bytes > maxWindow {
			w.endReading(errWindow)
			break
		}
		ev, err := w.src.Next()
		if err != nil {
			w.endReading(err)
			break
		}
		w.line = ev.Seq
		w.handle(ev)
	}
	if len(w.heads) == 0 {
		return nil
	}
	return w.heads[0].operations[0]
}

// nextOnOtherConnection returns the operation that runs next after the next one on another
// connection, or nil.
func (w *window) nextOnOtherConnection() (o *operation) {
	for _, c := range w.heads[min(1, len(w.heads)):] {
		if o == nil || c.operations[0].preferredLine < o.preferredLine {
			o = c.operations[0]
		}
	}
	return o
}

// endReading ends the reading. Connections that are open end here.
func (w *window) endReading(err error) {
	w.ended = true
	if !errors.Is(err, io.EOF) {
		w.err = err
	}
	for _, c := range w.clients {
		if !c.gone {
			w.disconnect(c, w.line+1)
		}
	}
}

// handle takes an event.
func (w *window) handle(ev recording.Event) {
	if ev.Kind == recording.End {
		return
	}
	c := w.clients[ev.Conn]
	switch ev.Kind {
	case recording.Open:
		c = &client{id: ev.Conn, addr: ev.Addr, proto: 2, index: -1}
		c.pushes.totalBytes = &w.pushes
		w.clients[ev.Conn] = c
		w.addConnectionEvent(c, opensConnection, ev.Seq)
	case recording.Request:
		w.bytes += sizeOf(ev.Args)
		if o := c.request(ev); o != nil {
			w.arrive(o)
		}
	case recording.Reply, recording.ReplyBegins, recording.Silent:
		w.bytes += int64(len(ev.Raw))
		if q := c.reply(ev); q != nil {
			if q.name() == "MULTI" && q.want.isError() {
				w.splitRefused(c, q)
			}
			w.resolve(c)
		}
	case recording.Push:
		c.pushes.expect(ev.Raw)
	case recording.Unparsed:
		w.unparsed++
	case recording.Close:
		w.disconnect(c, ev.Seq)
		delete(w.clients, ev.Conn)
	}
}

// arrive adds an operation whose requests are known.
func (w *window) arrive(o *operation) {
	w.arrived = insert(w.arrived, o)
	if f := factsOf(w.table, o.last().args); f.blocking && !o.multi {
		w.blocking = insert(w.blocking, o)
	}
}

// insert inserts an operation into a list that has the order of the requests.
func insert(list []*operation, o *operation) []*operation {
	i := len(list)
	for i > 0 && list[i-1].sent > o.sent {
		i--
	}
	return slices.Insert(list, i, o)
}

// splitRefused takes the transaction apart that the server has refused to begin: its commands have
// run one by one.
func (w *window) splitRefused(c *client, multi *request) {
	at := slices.IndexFunc(c.operations, func(o *operation) bool { return o.multi && o.requests[0] == multi })
	o := c.open
	switch {
	case at >= 0:
		o = c.operations[at]
		c.operations = slices.Delete(c.operations, at, at+1)
		i := slices.Index(w.arrived, o)
		w.arrived = slices.Delete(w.arrived, i, i+1)
	case o != nil && o.requests[0] == multi:
		at, c.open = len(c.operations), nil
	default:
		return // it was within a transaction
	}
	whole, open := (&operation{client: c, requests: o.requests[:1:1]}).complete(), (*operation)(nil)
	for i := range o.requests {
		if i > 0 {
			whole, open = c.join(open, o.requests[i])
		}
		if whole != nil {
			c.operations = slices.Insert(c.operations, at, whole)
			at++
			w.arrive(whole)
		}
	}
	if open != nil {
		c.open = open
	}
}

// addConnectionEvent adds an operation that opens or closes a connection.
func (w *window) addConnectionEvent(c *client, k operationKind, line int64) {
	o := &operation{client: c, kind: k, sent: line, replied: line, preferredLine: line, resolved: true}
	c.operations = append(c.operations, o)
	w.arrived = append(w.arrived, o)
	w.queueClient(c)
}

// disconnect takes the end of a connection. Requests without a reply do not run: nobody knows
// whether the server has run them.
func (w *window) disconnect(c *client, line int64) {
	c.gone = true
	for i, o := range c.operations {
		if !o.resolved {
			for _, lost := range c.operations[i:] {
				lost.done = true
				w.doneCount++
				w.release(lost)
			}
			c.operations = c.operations[:i]
			break
		}
	}
	if c.open != nil {
		w.release(c.open)
	}
	w.lost += int64(len(c.waiting))
	c.waiting, c.open = nil, nil
	w.addConnectionEvent(c, closesConnection, line)
}

// resolve resolves the operations of a client whose replies are all known.
func (w *window) resolve(c *client) {
	for _, o := range c.operations {
		if o.resolved {
			continue
		}
		for _, q := range o.requests {
			if !q.finished {
				return
			}
		}
		o.resolve(w.table)
		w.queueClient(c)
	}
}

// queueClient puts a client into the heap, if its oldest operation is resolved.
func (w *window) queueClient(c *client) {
	if c.index < 0 && len(c.operations) > 0 && c.operations[0].resolved {
		heap.Push(&w.heads, c)
	}
}

// remove removes an operation, which is the oldest of its client.
func (w *window) remove(o *operation) {
	c := o.client
	c.operations[0] = nil
	c.operations = c.operations[1:]
	o.done = true
	w.release(o)
	if w.doneCount++; w.doneCount > 64 && w.doneCount > len(w.arrived)/2 {
		w.compact()
	}
	switch {
	case c.index < 0:
	case len(c.operations) > 0 && c.operations[0].resolved:
		heap.Fix(&w.heads, c.index)
	default:
		heap.Remove(&w.heads, c.index)
	}
}

// release stops counting the bytes of an operation.
func (w *window) release(o *operation) {
	for _, q := range o.requests {
		w.bytes -= sizeOf(q.args)
		w.bytes -= int64(len(q.want.raw))
	}
}

// sizeOf returns about how many bytes of memory a request takes.
func sizeOf(args []string) int64 {
	n := int64(512)
	for _, a := range args {
		n += int64(len(a)) + 16
	}
	return n
}

// compact drops the operations that have run.
func (w *window) compact() {
	kept := w.arrived[:0]
	for _, o := range w.arrived {
		if !o.done {
			kept = append(kept, o)
		}
	}
	clear(w.arrived[len(kept):])
	w.arrived, w.doneCount = kept, 0
}
