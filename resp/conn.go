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
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/wire"
	"github.com/redmoon-lua/redmoon/reply"
)

// Sizes of a connection's output.
const (
	outSize   = 16 << 10  // first size of the reply buffer
	outFlush  = 64 << 10  // replies are sent when this many bytes are ready
	bulkAlone = 64 << 10  // bulk strings of at least this size are sent without copying
	outKeep   = 128 << 10 // larger reply buffers are not kept
	// strangerReplies is how many bytes of replies may wait for a client that has not authenticated,
	// as in Redis.
	strangerReplies = 1 << 10
)

// session is the part of engine.Session that a connection needs.
type session interface {
	RunBatch(ctx context.Context, b *enginedoor.Batch) error
	Close() error
}

// engineSession is the session of an engine.
type engineSession struct {
	enginedoor.Session
	session *engine.Session
}

func (s engineSession) Close() error { return s.session.Close() }

// connection is one client. Only the goroutine that serves it may use it: its own goroutine, the
// poller, or the goroutine that the poller has lent it to. Server.Close may close the socket.
type connection struct {
	nc     net.Conn
	sess   session
	limits func() *enginedoor.Limits // limits of the configuration
	// reports whether a command may change how the requests after it are parsed
	changesParsing func(name string) bool
	in             *parser
	batch          enginedoor.Batch
	out            []byte // replies that are ready to be sent
	output         *output
	box            *outbox // takes over from out and output when the client gets push messages
	slow           time.Duration
	// bytes of replies that may wait for the client before its next commands wait too
	room   int64
	closes func() bool // reports whether the server is closed or shutting down
	// logs that a client sends an HTTP request
	attacked func()

	ran      int64        // number of batches whose replies are in out or have been sent
	answered atomic.Int64 // number of batches whose replies have been sent

	reads    atomic.Int64 // number of reads from the socket
	memory   memoryUse
	unparsed bool // blockedReader has read bytes that the parser has not seen

	intercept Interceptor // sees each request first; nil: nobody does
	proto     int         // the protocol of the last reply: 2 or 3

	engine    *engine.Engine
	debugger  func(*DebugConn) // nil: SCRIPT DEBUG is not supported
	debugging atomic.Bool
	debugRead atomic.Int64 // bytes that a debugger has read

	polled
}

// serve reads requests and sends replies until the connection ends.
func (c *connection) serve() {
	ctx := context.Background()
	// without commands: the engine sets whether a password is needed
	if !c.run(ctx) || c.send() != nil {
		return
	}
	for {
		n, err := c.nc.Read(c.in.room())
		if n > 0 {
			c.in.fill(n)
			c.batch.BytesIn += int64(n)
			c.memory.received.Add(int64(n))
			c.batch.Reads++
			c.reads.Add(1)
			l := c.limits()
			if c.in.pending() > l.MaxQuery || !c.answer(ctx) {
				return
			}
			c.memory.input(c.in)
			if l.ReportBuffers != 0 && !c.report(ctx) {
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

// answer runs all requests that have arrived, if possible as one batch, and sends the replies. It
// reports whether the connection stays open.
func (c *connection) answer(ctx context.Context) bool {
	var bad error
	for more := true; more; more = bad == nil && (more || c.unparsed) {
		c.unparsed = false
		more, bad = c.take()
		if len(c.batch.Commands) == 0 {
			continue
		}
		if c.intercept != nil {
			if done, open := c.intercepted(); !open {
				return false
			} else if done {
				continue
			}
		}
		if !c.run(ctx) {
			return false
		}
	}
	if bad == nil {
		return c.send() == nil
	}
	c.refuse(bad)
	return false
}

// refuse sends the error for a malformed request and ends the connection.
func (c *connection) refuse(bad error) {
	switch {
	case errors.Is(bad, errHTTP): // no reply at all, as in Redis
	case c.send() != nil:
	case c.batch.Muted:
		c.discardInput()
	default:
		c.box.put(reply.Err("ERR "+bad.Error()), 2, 0)
		c.end()
	}
}

// discardInput reads and discards input until the client disconnects. As in Redis, a protocol error
// ends a connection only after its error reply is sent, which never happens if CLIENT REPLY has
// turned replies off.
func (c *connection) discardInput() { _, _ = io.Copy(io.Discard, c.nc) }

// errHTTP ends a connection that sends an HTTP request, a possible cross-protocol attack.
var errHTTP = errors.New("resp: HTTP request")

// take moves the requests that have arrived into the batch. An error is about the bytes after them.
// If more is true, the batch must run before the next request can be parsed.
func (c *connection) take() (more bool, err error) {
	limits := c.limits()
	c.in.maxBulk, c.in.noAuth, c.in.joined = limits.MaxBulkLen, c.batch.NoAuth, limits.JoinedQuotes
	for {
		args, err := c.in.next()
		if err != nil || args == nil {
			return false, err
		}
		if isHTTP(args[0]) {
			c.attacked()
			return false, errHTTP
		}
		c.batch.Commands = append(c.batch.Commands, args)
		if c.batch.NoAuth || c.intercept != nil || c.changesParsing(args[0]) {
			return true, nil
		}
	}
}

// run runs the batch in the engine and encodes the replies. If a command of the batch is blocked,
// the replies to the commands before it are sent first.
func (c *connection) run(ctx context.Context) bool {
	if c.ran > c.answered.Load() && !c.batch.NoAuth && c.send() != nil {
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

// drop removes the commands of the batch, which have been run.
func (c *connection) drop() {
	clear(c.batch.Commands)
	if c.batch.Commands = c.batch.Commands[:0]; cap(c.batch.Commands) > arenaKeep {
		c.batch.Commands = nil
	}
	c.in.reset()
}

// collect encodes the replies of the batch. It waits if too many bytes are waiting for the client.
func (c *connection) collect() bool {
	if !c.collectNoWait() {
		return false
	}
	return len(c.out) > 0 || !c.box.isStarted() || c.send() == nil && c.box.await(c.room, c.slow) == nil
}

// collectNoWait is collect, but does not wait.
func (c *connection) collectNoWait() bool {
	most := c.limits().MaxReplies
	if c.batch.NoAuth {
		most = strangerReplies
	}
	if most > 0 && c.waiting() >= most {
		return false
	}
	for i, v := range c.batch.Replies {
		if err := c.put(v, int(c.batch.Protos[i])); err != nil {
			return false
		}
	}
	if n := len(c.batch.Protos); n > 0 {
		c.proto = int(c.batch.Protos[n-1])
	}
	clear(c.batch.Replies) // an idle connection keeps no replies alive
	if cap(c.batch.Replies) > arenaKeep {
		c.batch.Replies, c.batch.Protos = nil, nil
	}
	c.ran++
	return true
}

// waiting estimates the bytes of replies that wait for the client, including those of the batch. As
// in Redis, the first 16 KiB do not count.
func (c *connection) waiting() int64 {
	n := int64(len(c.out)) + c.output.waiting() - outSize
	for _, v := range c.batch.Replies {
		n += v.WireSize()
	}
	return n
}

// reportTraffic reports the bytes read and written that no batch has reported to the engine.
func (c *connection) reportTraffic() {
	c.batch.BytesOut += c.box.takeSent()
	if c.batch.BytesIn+c.batch.BytesOut > 0 {
		c.batch.Commands, c.batch.Blocked = c.batch.Commands[:0], false
		_ = c.sess.RunBatch(context.Background(), &c.batch)
	}
}

// end sends everything that is left to send.
func (c *connection) end() {
	if c.send() == nil {
		c.finish()
	}
}

// finish waits until everything has been sent, however long the peer takes.
func (c *connection) finish() {
	if c.box.isStarted() {
		_ = c.box.await(0, 0)
	} else {
		_ = c.output.flush()
	}
}

// put appends a reply to out. A large reply is sent in pieces.
func (c *connection) put(v reply.Value, proto int) error {
	switch v.Kind() {
	case reply.KindBulk:
		if s := v.Text(); len(s) >= bulkAlone {
			return c.putLarge(s)
		}
	case reply.KindArray, reply.KindMap, reply.KindSet, reply.KindPush, reply.KindAttribute, reply.KindPushed:
		return c.putAggregate(v, proto)
	}
	c.out = wire.Append(c.out, v, proto)
	if len(c.out) >= outFlush || len(c.out) >= outSize && c.output.waiting() > 0 {
		return c.send()
	}
	return nil
}

func (c *connection) putAggregate(v reply.Value, proto int) error {
	var elems []reply.Value
	proto = v.Proto(proto)
	c.out, elems = wire.AppendAggregateHeader(c.out, v.Kind(), v.Slice(), proto)
	for _, e := range elems {
		if err := c.put(e, proto); err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) putLarge(s string) error {
	c.out = wire.AppendHeader(c.out, '$', int64(len(s)))
	if err := c.send(); err != nil {
		return err
	}
	c.batch.BytesOut += int64(len(s))
	c.memory.sent.Add(int64(len(s)))
	c.batch.Writes++
	// The bytes are not changed: a write to a socket only reads them.
	if err := c.output.write(unsafe.Slice(unsafe.StringData(s), len(s)), true); err != nil {
		return err
	}
	c.out = append(c.out, '\r', '\n')
	return nil
}

// send writes out.
func (c *connection) send() error {
	if len(c.out) > 0 {
		c.memory.replies(c.out)
		c.batch.BytesOut += int64(len(c.out))
		c.memory.sent.Add(int64(len(c.out)))
		c.batch.Writes++
	}
	err := c.output.write(c.out, false)
	if cap(c.out) > outKeep {
		c.out = make([]byte, 0, outSize)
		c.memory.out.Store(outSize)
	} else {
		c.out = c.out[:0]
	}
	if before := c.answered.Load(); c.ran > before && err == nil {
		c.answered.Store(c.ran)
		c.box.repliesSent(before, c.ran)
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
