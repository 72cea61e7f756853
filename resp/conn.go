package resp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Sizes of a connection's output.
const (
	outSize   = 16 << 10  // first size of the reply buffer
	outFlush  = 64 << 10  // replies are sent when so many bytes are ready
	bulkAlone = 64 << 10  // bulk strings from this size are sent from where they are, without copying
	outKeep   = 128 << 10 // larger reply buffers are not kept
)

// session is what a connection needs of an engine's session.
type session interface {
	RunBatch(ctx context.Context, b *engine.Batch) error
	Close() error
}

// connection is one client. Only the goroutine that serves it touches it: its own one, the poller,
// or one that the poller has lent it to. Server.Close may close the socket.
type connection struct {
	nc     net.Conn
	sess   session
	limits func() *engine.Limits // by the configuration
	in     *parser
	batch  engine.Batch
	out    []byte // replies that are ready to be sent
	output *output
	box    *outbox // takes over from out and output when the client receives what it did not ask for
	slow   time.Duration
	room   int64       // bytes that may wait for the client before its next commands wait as well
	closes func() bool // the server is closed, or about to be

	ran     int64        // batches whose replies are in out, or have been sent
	settled atomic.Int64 // batches whose replies have been sent

	reads   atomic.Int64 // from the socket
	held    held
	unheard bool // bytes have come while a command waited

	engine    *engine.Engine
	debugger  func(*DebugConn) // nil: SCRIPT DEBUG is refused
	debugging atomic.Bool
	debugRead atomic.Int64 // bytes that a debugger has read

	polled
}

// serve reads and answers requests until the connection ends.
func (c *connection) serve() {
	ctx := context.Background()
	if !c.run(ctx) || c.send() != nil { // without commands: tells whether a password is needed
		return
	}
	for {
		n, err := c.nc.Read(c.in.room())
		if n > 0 {
			c.in.fill(n)
			c.batch.BytesIn += int64(n)
			c.batch.Reads++
			c.reads.Add(1)
			l := c.limits()
			if c.in.pending() > l.MaxQuery || !c.answer(ctx) {
				return
			}
			c.held.input(c.in)
			if l.Reports != 0 && !c.report(ctx) {
				return
			}
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) { // Shutdown
				c.finish()
			}
			return
		}
	}
}

// answer runs all requests that have arrived, as one batch where it can, and sends the replies. It
// reports whether the connection goes on.
func (c *connection) answer(ctx context.Context) bool {
	var bad error
	for more := true; more; more = bad == nil && (more || c.unheard) {
		c.unheard = false
		more, bad = c.take()
		if len(c.batch.Commands) > 0 && !c.run(ctx) {
			return false
		}
	}
	if bad == nil {
		return c.send() == nil
	}
	c.refuse(bad)
	return false
}

// refuse ends the connection after a malformed request.
func (c *connection) refuse(bad error) {
	switch {
	case errors.Is(bad, errHTTP): // no reply at all, as in Redis
	case c.send() != nil:
	case c.batch.Muted:
		c.deaf()
	default:
		c.box.put(reply.Err("ERR "+bad.Error()), 2)
		c.end()
	}
}

// deaf reads on and hears nothing: a protocol error ends a connection after its error reply, and so never, when
// CLIENT REPLY has turned replies off. Redis does the same.
func (c *connection) deaf() { _, _ = io.Copy(io.Discard, c.nc) }

// errHTTP ends a connection on which a web page talks to Redis.
var errHTTP = errors.New("resp: HTTP request")

// take moves the requests that have arrived into the batch. An error stands for what came behind them. With
// more, the batch has to run before what comes behind it can be read.
func (c *connection) take() (more bool, err error) {
	c.in.maxBulk, c.in.noAuth = c.limits().MaxBulkLen, c.batch.NoAuth
	for {
		args, err := c.in.next()
		if err != nil || args == nil {
			return false, err
		}
		if isHTTP(args[0]) {
			return false, errHTTP
		}
		c.batch.Commands = append(c.batch.Commands, args)
		if c.batch.NoAuth || setsLimits(args[0]) {
			return true, nil
		}
	}
}

// setsLimits reports whether a command may change the limits that the parser obeys.
func setsLimits(name string) bool {
	switch len(name) {
	case 5:
		return strings.EqualFold(name, "reset")
	case 6:
		return strings.EqualFold(name, "config")
	}
	return false
}

// run sends the batch to the engine and gets the replies ready. Where a command of it waits, the replies to those
// before it are sent first.
func (c *connection) run(ctx context.Context) bool {
	if c.ran > c.settled.Load() && c.send() != nil {
		return false
	}
	c.batch.BytesOut += c.box.takeSent()
	err := c.sess.RunBatch(ctx, &c.batch)
	for err == nil && c.batch.Blocked {
		if !c.collect() || c.send() != nil {
			return false
		}
		err = c.await(ctx)
	}
	c.drop()
	if err != nil || !c.collect() {
		return false
	}
	if c.batch.Debug != nil {
		c.debug()
		return false
	}
	if c.batch.Closed {
		c.end()
		return false
	}
	return true
}

// drop forgets the commands of the batch, which have been run.
func (c *connection) drop() {
	clear(c.batch.Commands)
	if c.batch.Commands = c.batch.Commands[:0]; cap(c.batch.Commands) > arenaKeep {
		c.batch.Commands = nil
	}
	c.in.reset()
}

// collect gets the replies of the batch ready, and waits where too much waits for the client already.
func (c *connection) collect() bool {
	if !c.gather() {
		return false
	}
	return len(c.out) > 0 || !c.box.isBegun() || c.send() == nil && c.box.await(c.room, c.slow) == nil
}

// gather is collect for who must not wait.
func (c *connection) gather() bool {
	if most := c.limits().MaxReplies; most > 0 && c.waiting() >= most {
		return false
	}
	for i, v := range c.batch.Replies {
		if err := c.put(v, int(c.batch.Protos[i])); err != nil {
			return false
		}
	}
	clear(c.batch.Replies) // nothing is kept alive by an idle connection
	if cap(c.batch.Replies) > arenaKeep {
		c.batch.Replies, c.batch.Protos = nil, nil
	}
	c.ran++
	return true
}

// waiting is about how many bytes of replies wait for the client, with those of the batch. As in Redis, the first 16 KiB do not count.
func (c *connection) waiting() int64 {
	n := int64(len(c.out)) + c.output.waiting() - outSize
	for _, v := range c.batch.Replies {
		n += v.WireSize()
	}
	return n
}

// account hands in the bytes of which no batch has told the engine.
func (c *connection) account() {
	c.batch.BytesOut += c.box.takeSent()
	if c.batch.BytesIn+c.batch.BytesOut > 0 {
		c.batch.Commands, c.batch.Blocked = c.batch.Commands[:0], false
		_ = c.sess.RunBatch(context.Background(), &c.batch)
	}
}

// end sends all that is left to send.
func (c *connection) end() {
	if c.send() == nil {
		c.finish()
	}
}

// finish waits until all has been sent, however long the peer takes.
func (c *connection) finish() {
	if c.box.isBegun() {
		_ = c.box.await(0, 0)
	} else {
		_ = c.output.flush()
	}
}

// put adds a reply to out. What is large goes to the socket piece by piece.
func (c *connection) put(v reply.Value, proto int) error {
	switch v.Kind() {
	case reply.KindBulk:
		if s := v.Text(); len(s) >= bulkAlone {
			return c.putLarge(s)
		}
	case reply.KindArray, reply.KindMap, reply.KindSet, reply.KindPush, reply.KindAttribute, reply.KindPushed:
		return c.putAggregate(v, proto)
	}
	c.out = Append(c.out, v, proto)
	if len(c.out) >= outFlush {
		return c.send()
	}
	return nil
}

func (c *connection) putAggregate(v reply.Value, proto int) error {
	var elems []reply.Value
	proto = v.Proto(proto)
	c.out, elems = appendAggregateHeader(c.out, v.Kind(), v.Slice(), proto)
	for _, e := range elems {
		if err := c.put(e, proto); err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) putLarge(s string) error {
	c.out = appendHeader(c.out, '$', int64(len(s)))
	if err := c.send(); err != nil {
		return err
	}
	c.batch.BytesOut += int64(len(s))
	c.batch.Writes++
	// Nobody writes to these bytes: a write to a socket only reads them.
	if _, err := c.output.write(unsafe.Slice(unsafe.StringData(s), len(s))); err != nil {
		return err
	}
	c.out = append(c.out, '\r', '\n')
	return nil
}

// send writes out.
func (c *connection) send() error {
	if len(c.out) > 0 {
		c.held.replies(c.out)
		c.batch.BytesOut += int64(len(c.out))
		c.batch.Writes++
	}
	kept, err := c.output.write(c.out)
	if kept || cap(c.out) > outKeep {
		c.out = make([]byte, 0, outSize)
		c.held.out.Store(outSize)
	} else {
		c.out = c.out[:0]
	}
	if before := c.settled.Load(); c.ran > before && err == nil {
		c.settled.Store(c.ran)
		c.box.settled(before, c.ran)
	}
	return err
}

// isHTTP reports whether a request is the first line or the Host line of an HTTP request.
func isHTTP(name string) bool {
	switch len(name) {
	case 4:
		return strings.EqualFold(name, "post")
	case 5:
		return strings.EqualFold(name, "host:")
	}
	return false
}
