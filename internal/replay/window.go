package replay

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/recording"
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
	src      *recording.Reader
	table    *cmdtable.Table
	clients  map[int64]*client
	heads    heads // clients whose oldest op is resolved
	arrived  []*op // ops that have not run, in the order of their requests; some have run and are done
	done     int   // number of those in arrived
	blocking []*op // commands that may wait, in the order of their requests; some are done
	line     int64 // last line that has been read
	bytes    int64 // of requests and replies in the window
	pushes   int64 // bytes of recorded pushes that have not been compared
	over     bool  // the end of the recording has been reached
	why      string
	err      error // why it could not be read to the end

	lost     int64 // requests without a reply
	unparsed int64 // connections that were not recorded to their end
}

// heads is a heap of clients by the order in which their oldest ops run.
type heads []*client

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].ops[0].prefer < h[j].ops[0].prefer }
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

// fill reads on until enough lies ahead of the op that runs next. It returns that op, or nil at the
// end of the recording.
func (w *window) fill() *op {
	for !w.over {
		if len(w.heads) > 0 &&
			(w.line >= w.heads[0].ops[0].prefer+aheadLines || w.bytes > aheadBytes) {
			break
		}
		if w.bytes > maxWindow {
			w.end(errWindow)
			break
		}
		ev, err := w.src.Next()
		if err != nil {
			w.end(err)
			break
		}
		w.line = ev.Seq
		w.take(ev)
	}
	if len(w.heads) == 0 {
		return nil
	}
	return w.heads[0].ops[0]
}

// second returns the op that runs next after the next one on another connection, or nil.
func (w *window) second() (o *op) {
	for _, c := range w.heads[min(1, len(w.heads)):] {
		if o == nil || c.ops[0].prefer < o.prefer {
			o = c.ops[0]
		}
	}
	return o
}

// end ends the reading. Connections that are open end here.
func (w *window) end(err error) {
	w.over = true
	if !errors.Is(err, io.EOF) {
		w.err = err
	}
	for _, c := range w.clients {
		if !c.gone {
			w.leave(c, w.line+1)
		}
	}
}

// take takes an event.
func (w *window) take(ev recording.Event) {
	if ev.Kind == recording.End {
		w.why = ev.Why
		return
	}
	c := w.clients[ev.Conn]
	switch ev.Kind {
	case recording.Open:
		c = &client{id: ev.Conn, addr: ev.Addr, proto: 2, index: -1}
		c.pushes.all = &w.pushes
		w.clients[ev.Conn] = c
		w.pseudo(c, opens, ev.Seq)
	case recording.Request:
		w.bytes += sizeOf(ev.Args)
		if o := c.request(ev); o != nil {
			w.arrive(o)
		}
	case recording.Reply, recording.ReplyBegins, recording.Silent:
		w.bytes += int64(len(ev.Raw))
		if r := c.reply(ev); r != nil {
			if r.name() == "MULTI" && r.want.isError() {
				w.regroup(c, r)
			}
			w.resolve(c)
		}
	case recording.Push:
		c.pushes.expect(ev.Raw)
	case recording.Unparsed:
		w.unparsed++
	case recording.Close:
		w.leave(c, ev.Seq)
		delete(w.clients, ev.Conn)
	}
}

// arrive adds an op whose requests are known.
func (w *window) arrive(o *op) {
	w.arrived = insert(w.arrived, o)
	if f := factsOf(w.table, o.last().args); f.blocking && !o.multi {
		w.blocking = insert(w.blocking, o)
	}
}

// insert inserts an op into a list that has the order of the requests.
func insert(list []*op, o *op) []*op {
	i := len(list)
	for i > 0 && list[i-1].sent > o.sent {
		i--
	}
	return slices.Insert(list, i, o)
}

// regroup takes the transaction apart that the server has refused to begin: its commands have run
// one by one.
func (w *window) regroup(c *client, multi *request) {
	at := slices.IndexFunc(c.ops, func(o *op) bool { return o.multi && o.requests[0] == multi })
	o := c.open
	switch {
	case at >= 0:
		o = c.ops[at]
		c.ops = slices.Delete(c.ops, at, at+1)
		i := slices.Index(w.arrived, o)
		w.arrived = slices.Delete(w.arrived, i, i+1)
	case o != nil && o.requests[0] == multi:
		at, c.open = len(c.ops), nil
	default:
		return // it was within a transaction
	}
	whole, open := (&op{c: c, requests: o.requests[:1:1]}).complete(), (*op)(nil)
	for i := range o.requests {
		if i > 0 {
			whole, open = c.join(open, o.requests[i])
		}
		if whole != nil {
			c.ops = slices.Insert(c.ops, at, whole)
			at++
			w.arrive(whole)
		}
	}
	if open != nil {
		c.open = open
	}
}

// pseudo adds an op that opens or closes a connection.
func (w *window) pseudo(c *client, k opKind, line int64) {
	o := &op{c: c, kind: k, sent: line, replied: line, prefer: line, resolved: true}
	c.ops = append(c.ops, o)
	w.arrived = append(w.arrived, o)
	w.show(c)
}

// leave takes the end of a connection. Requests without a reply do not run: nobody knows whether
// the server has run them.
func (w *window) leave(c *client, line int64) {
	c.gone = true
	for i, o := range c.ops {
		if !o.resolved {
			for _, lost := range c.ops[i:] {
				lost.done = true
				w.done++
				w.release(lost)
			}
			c.ops = c.ops[:i]
			break
		}
	}
	if c.open != nil {
		w.release(c.open)
	}
	w.lost += int64(len(c.waiting))
	c.waiting, c.open = nil, nil
	w.pseudo(c, closes, line)
}

// resolve resolves the ops of a client whose replies are all known.
func (w *window) resolve(c *client) {
	for _, o := range c.ops {
		if o.resolved {
			continue
		}
		for _, r := range o.requests {
			if !r.over {
				return
			}
		}
		o.resolve(w.table)
		w.show(c)
	}
}

// show puts a client into the heap, if its oldest op is resolved.
func (w *window) show(c *client) {
	if c.index < 0 && len(c.ops) > 0 && c.ops[0].resolved {
		heap.Push(&w.heads, c)
	}
}

// ran removes an op, which is the oldest of its client.
func (w *window) ran(o *op) {
	c := o.c
	c.ops[0] = nil
	c.ops = c.ops[1:]
	o.done = true
	w.release(o)
	if w.done++; w.done > 64 && w.done > len(w.arrived)/2 {
		w.compact()
	}
	switch {
	case c.index < 0:
	case len(c.ops) > 0 && c.ops[0].resolved:
		heap.Fix(&w.heads, c.index)
	default:
		heap.Remove(&w.heads, c.index)
	}
}

// release stops counting the bytes of an op.
func (w *window) release(o *op) {
	for _, r := range o.requests {
		w.bytes -= sizeOf(r.args)
		w.bytes -= int64(len(r.want.raw))
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

// compact drops the ops that have run.
func (w *window) compact() {
	kept := w.arrived[:0]
	for _, o := range w.arrived {
		if !o.done {
			kept = append(kept, o)
		}
	}
	clear(w.arrived[len(kept):])
	w.arrived, w.done = kept, 0
}
