package resp

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// blockedReader reads a connection's socket while a command of the connection is blocked. It keeps
// the input for later, and cancels the command if the client disconnects. It owns the parser's
// buffer until done is closed.
type blockedReader struct {
	stopping atomic.Bool // the command has ended: the deadline that ends Read was set by await
	read     int64       // bytes read
	reads    int64
	ended    bool // the read deadline was set by Shutdown
	done     chan struct{}
}

// await waits for the blocked command of the batch, and runs the rest of the batch.
func (c *connection) await(ctx context.Context) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	l := &blockedReader{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		c.readWhileBlocked(l, giveUp)
	}()
	err := c.sess.RunBatch(ctx, &c.batch)
	l.stopping.Store(true)
	_ = c.nc.SetReadDeadline(longAgo)
	<-l.done
	_ = c.nc.SetReadDeadline(time.Time{})
	if c.closes() { // Shutdown may have set its deadline before
		_ = c.nc.SetReadDeadline(longAgo)
	}
	c.batch.BytesIn += l.read
	c.batch.Reads += l.reads
	c.unparsed = c.unparsed || l.read > 0
	if err != nil && l.ended {
		c.finish()
	}
	return err
}

// readWhileBlocked reads until await stops it. It calls giveUp if the client has disconnected or
// Shutdown ends the connection.
func (c *connection) readWhileBlocked(l *blockedReader, giveUp func()) {
	for {
		n, err := c.nc.Read(c.in.room())
		c.in.fill(n)
		if n > 0 {
			l.read += int64(n)
			l.reads++
			c.memory.received.Add(int64(n))
			c.reads.Add(1)
			c.memory.input(c.in)
		}
		switch {
		case err == nil && l.read <= c.limits().MaxQuery:
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.ended = !l.stopping.Load()
			if !l.ended {
				return
			}
		}
		giveUp()
		return
	}
}
