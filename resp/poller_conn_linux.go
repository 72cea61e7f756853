package resp

import (
	"errors"
	"syscall"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// polled is the poller's state of one connection.
type polled struct {
	p         *poller
	sock      *socket
	call      *enginedoor.Call // runs the batch
	cancel    *enginedoor.Call // for Shutdown: ends the blocked command
	last      *enginedoor.Call // ends the session
	inFlight  bool             // the engine has call, and will report its end
	blocked   bool             // inFlight, for a blocked command: input is read meanwhile
	away      bool             // lent to a goroutine; see lend
	queued    bool             // in poller.again
	unread    bool             // the socket may have more input
	hung      bool             // the peer has closed its side, or is gone
	more      bool             // the parser may have more commands
	parseErr  error            // the malformed request after the last batch; nil: none
	reported  bool             // the last batch had no commands; it only reported memory
	newBytes  int64            // bytes read since the last call of count
	newReads  int64            // number of those reads
	cancelled bool             // cancel has been submitted
	quit      bool             // Shutdown has asked the connection to end
	ending    bool             // last has been submitted
	ended     bool             // last has ended
}

// visit reads from a connection and adds its commands to the turn. It is called when the socket or
// the parser may have more.
func (p *poller) visit(c *connection) {
	if c.ending || c.away || c.inFlight && !c.blocked {
		return // proceed visits it again
	}
	if (c.blocked || !c.more) && !p.read(c) {
		return
	}
	if c.blocked {
		c.unparsed = true
		c.memory.input(c.in)
		if c.unread {
			p.later(c)
		}
		return
	}
	c.more, c.parseErr = c.take()
	switch {
	case len(c.batch.Commands) > 0:
		p.submit(c)
	case len(c.out) > 0 && c.send() != nil: // what was kept for a client that has not authenticated
		p.end(c)
	default:
		p.proceed(c)
	}
}

// read reads once and reports whether anything arrived.
func (p *poller) read(c *connection) bool {
	if !c.unread {
		return false
	}
	room := c.in.room()
	room = room[:min(len(room), pollRead)]
	n, err := c.sock.readRaw(room)
	if n == 0 {
		c.unread = false
		if !errors.Is(err, syscall.EAGAIN) {
			p.end(c)
		}
		return false
	}
	c.unread = n == len(room) || c.hung
	c.in.fill(n)
	c.newBytes += int64(n)
	c.memory.received.Add(int64(n))
	c.newReads++
	c.reads.Add(1)
	most := c.limits().MaxQuery
	if c.in.pending() > most || c.blocked && c.newBytes > most {
		p.end(c)
		return false
	}
	return true
}

// later puts a connection that has more to do off until the next turn.
func (p *poller) later(c *connection) {
	if !c.queued {
		c.queued = true
		p.again = append(p.again, c)
	}
}

// submit adds the connection's batch to the turn.
func (p *poller) submit(c *connection) {
	if !c.blocked {
		c.count()
	}
	c.inFlight = true
	p.add(c, c.call)
}

func (p *poller) add(c *connection, call *enginedoor.Call) {
	p.calls = append(p.calls, call)
	p.turn = append(p.turn, entry{c, call})
}

// count adds what has been read and sent to the batch, which reports it to the engine.
func (c *connection) count() {
	c.batch.BytesIn += c.newBytes
	c.batch.Reads += c.newReads
	c.newBytes, c.newReads = 0, 0
	if c.box.isStarted() {
		c.batch.BytesOut += c.box.takeSent()
	}
}

// finishBatch continues a connection whose batch has been run, or has reached a blocking command.
func (p *poller) finishBatch(c *connection) {
	c.inFlight, c.blocked = false, false
	switch {
	case c.ending:
		p.release(c)
	case c.call.Err != nil && c.quit:
		p.finish(c)
	// an HTTP client does not get the replies to the commands before either
	case c.call.Err != nil, errors.Is(c.parseErr, errHTTP) && !c.batch.Blocked:
		p.end(c)
	case c.batch.Debug != nil || c.heavy():
		p.lend(c, c.deliver)
	default:
		if !c.batch.Blocked {
			c.drop()
		}
		// What a client that has not authenticated gets waits until the input that has come is done, so
		// that its replies are counted as in Redis.
		later := c.batch.NoAuth && c.more && !c.batch.Closed && !c.batch.Blocked && !c.quit
		if !c.collectNoWait() || !later && c.send() != nil {
			p.end(c)
			return
		}
		p.proceed(c)
	}
}

// heavy reports whether the client's replies are too large for the poller to send.
func (c *connection) heavy() bool {
	n := c.output.waiting()
	if c.box.isStarted() {
		n += c.box.unsent()
	}
	for _, v := range c.batch.Replies {
		n += v.WireSize()
	}
	return n > min(pollHeavy, c.room)
}

// deliver sends the replies of a batch, however slowly the client reads. It reports whether to keep
// the connection.
func (c *connection) deliver() bool {
	if !c.batch.Blocked {
		c.drop()
	}
	if !c.collect() {
		return false
	}
	if c.batch.Debug != nil {
		c.debug()
		return false
	}
	return c.send() == nil
}

// lend gives the connection to a goroutine until f returns. f may wait for the client, and reports
// whether to keep the connection.
func (p *poller) lend(c *connection, f func() (ok bool)) {
	c.away = true
	go func() { p.post(note{what: noteBack, c: c, ok: f()}) }()
}

// proceed continues a connection whose replies have been sent.
func (p *poller) proceed(c *connection) {
	switch {
	case c.batch.Blocked: // a command of the batch is blocked; the rest of the batch runs after it
		p.submit(c)
		c.blocked = true
		if c.quit {
			p.stop(c)
		} else if c.unread {
			p.later(c)
		}
		return
	case c.batch.Closed || c.quit:
		p.finish(c)
		return
	case c.parseErr != nil:
		err := c.parseErr
		p.lend(c, func() bool { c.refuse(err); return false })
		return
	}
	c.more, c.unparsed = c.more || c.unparsed, false
	if !c.more {
		c.memory.input(c.in)
		if c.limits().ReportBuffers != 0 && !c.reported && !c.small() {
			c.reported = true
			p.submit(c)
			return
		}
		c.reported = false
	}
	if c.more || c.unread {
		p.later(c)
	}
}

// stop ends a connection for Shutdown: commands already received get their replies, and a blocked
// command is cancelled.
func (p *poller) stop(c *connection) {
	c.quit = true
	switch {
	case c.ending || c.away:
	case c.inFlight && c.blocked && !c.cancelled:
		c.cancelled = true
		p.add(c, c.cancel)
	case !c.inFlight:
		p.finish(c)
	}
}

// finish ends a connection after its output has been sent.
func (p *poller) finish(c *connection) {
	if c.output.waiting() == 0 && !c.box.isStarted() {
		p.end(c)
		return
	}
	p.lend(c, func() bool { c.finish(); return false })
}

// end closes a connection, and its session in this turn.
func (p *poller) end(c *connection) {
	if c.ending {
		return
	}
	c.ending = true
	_ = c.sock.Close()
	if !c.inFlight {
		c.batch.Commands, c.batch.Blocked = c.batch.Commands[:0], false
		c.count()
		c.last.Batch = &c.batch
	}
	p.add(c, c.last)
}

// release frees a connection whose session has ended.
func (p *poller) release(c *connection) {
	if !c.ended || c.inFlight {
		return
	}
	fd := c.sock.fd
	delete(p.socks, int32(fd))
	p.unregister(fd)
	if c.last.Batch != nil && !c.box.isStarted() && c.output.waiting() == 0 {
		p.forget(c)
		return
	}
	go func() {
		c.box.end()
		c.output.drained.Wait()
		c.count()
		c.reportTraffic()
		p.forget(c)
	}()
}

func (p *poller) forget(c *connection) {
	c.sock.free()
	p.s.forget(c.sock)
	p.s.wg.Done()
}
