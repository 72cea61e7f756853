package resp

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
)

// TestAFailedAcceptPausesOnce has several listeners on which accept fails, and clients that
// continue to connect.
func TestAFailedAcceptPausesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := &poller{s: newServer(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil)}
		p.listeners = map[int32]net.Listener{-1: nil, -2: nil, -3: nil} // EBADF
		waiting := func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.notes)
		}
		for round := 1; round <= 20; round++ {
			for range 10 {
				for fd, l := range p.listeners {
					p.accept(fd, l)
				}
			}
			require.Equal(t, round, strings.Count(log.String(), "accept4"))
			require.Zero(t, waiting())
			time.Sleep(acceptPause)
			synctest.Wait()
			require.Equal(t, 1, waiting())
			p.takeNotes()
		}
		time.Sleep(acceptPause) // the last timer ends in the bubble
	})
}

// TestAPollerOfAClosedServerEnds starts a poller that has nothing left to serve, for example one
// that takes over in the turn in which the last connection ends.
func TestAPollerOfAClosedServerEnds(t *testing.T) {
	s := newServer(Options{}, nil)
	require.NoError(t, s.Close())
	p, err := newPoller(s)
	require.NoError(t, err)
	s.wg.Wait()
	require.True(t, p.closed)
}

// TestThePollerDoesNotWaitForAMessageToBeSent: the engine sends a client more than its socket has
// room for, just after the poller has checked the room.
func TestThePollerDoesNotWaitForAMessageToBeSent(t *testing.T) {
	near, far := net.Pipe()
	c := &connection{nc: near, in: newParser(), output: newOutput(near, 1<<20, 0), room: 100}
	c.box = newOutbox(c)
	c.call = new(enginedoor.Call)
	c.limits = func() *enginedoor.Limits {
		c.box.put(reply.Bulk(strings.Repeat("x", 1000)), 3, 0)
		return &enginedoor.Limits{MaxQuery: 1 << 20}
	}
	c.box.put(reply.Status("message"), 3, 0)
	p := &poller{}
	p.finishBatch(c)
	require.False(t, c.away)
	require.Greater(t, c.box.unsent(), c.room)
	require.NoError(t, near.Close())
	require.NoError(t, far.Close())
	c.box.end()
}

// TestATickWhileTheServerIsClosed looks at a listener that Close has closed, before Close goes on.
func TestATickWhileTheServerIsClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := newServer(Options{}, nil)
	s.closed = true
	require.NoError(t, l.Close())
	ticks := make(chan time.Time, 1)
	ticks <- time.Time{}
	require.ErrorIs(t, s.waitForEnd(l, ticks), ErrServerClosed)
}
