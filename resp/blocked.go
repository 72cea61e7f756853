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

// listener reads a connection's socket while a command of the connection waits: it keeps what comes for later, and
// ends the wait when the client goes. It has the parser's buffer to itself until done is closed.
type listener struct {
	stopping atomic.Bool // the wait is over: the deadline that ends Read is our own
	read     int64       // bytes that have come
	reads    int64
	ended    bool // by Shutdown
	done     chan struct{}
}

// await waits for the command of the batch that waits, and runs the rest of the batch.
func (c *connection) await(ctx context.Context) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	l := &listener{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		c.listen(l, giveUp)
	}()
	err := c.sess.RunBatch(ctx, &c.batch)
	l.stopping.Store(true)
	_ = c.nc.SetReadDeadline(longAgo)
	<-l.done
	_ = c.nc.SetReadDeadline(time.Time{})
	if c.closes() { // Shutdown may have set its deadline before us
		_ = c.nc.SetReadDeadline(longAgo)
	}
	c.batch.BytesIn += l.read
	c.batch.Reads += l.reads
	c.unheard = c.unheard || l.read > 0
	if err != nil && l.ended {
		c.finish()
	}
	return err
}

// listen reads until await tells it to stop. It calls giveUp when the client has gone, or is to go.
func (c *connection) listen(l *listener, giveUp func()) {
	for {
		n, err := c.nc.Read(c.in.room())
		c.in.fill(n)
		if n > 0 {
			l.read += int64(n)
			l.reads++
			c.reads.Add(1)
			c.held.input(c.in)
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
