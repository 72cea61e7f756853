package engine

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// turnPlayer runs turns of several sessions.
type turnPlayer struct {
	t        *testing.T
	e        *Engine
	sessions []*Session
	calls    []*enginedoor.Call
	over     []chan struct{} // done was called
}

func newTurnPlayer(t *testing.T, sessions int, config map[string]string) *turnPlayer {
	t.Helper()
	return newTurnPlayerOf(t, sessions, Options{Config: config})
}

func newTurnPlayerOf(t *testing.T, sessions int, o Options) *turnPlayer {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	p := &turnPlayer{t: t, e: e}
	for range sessions {
		s, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{Addr: "peer", Receive: func(Value, int, int64) int64 { return 0 }})
		require.NoError(t, err)
		over := make(chan struct{}, 1)
		p.sessions, p.over = append(p.sessions, s), append(p.over, over)
		p.calls = append(p.calls, enginedoor.Of(s).NewCall(func() { over <- struct{}{} }))
	}
	return p
}

// ask sets the next batch of a session.
func (p *turnPlayer) ask(i int, commands ...[]string) {
	if p.calls[i].Batch == nil || !p.calls[i].Batch.Blocked {
		p.calls[i].Batch = &enginedoor.Batch{StopAtBlock: true, Commands: commands}
	}
}

// throughTheLoop makes the turn that f runs go through the loop's goroutine.
func (p *turnPlayer) throughTheLoop(f func()) {
	p.t.Helper()
	in, out := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		assert.NoError(p.t, p.e.View(context.Background(), func(Keyspace) error { close(in); <-out; return nil }))
	})
	<-in
	wg.Go(f)
	patience.Until(p.t, func() bool { return len(p.e.requests) > 0 })
	close(out)
	wg.Wait()
}

// loopIsFree waits until the next turn can borrow the loop.
func (p *turnPlayer) loopIsFree() {
	p.e.owner.Lock()
	//lint:ignore SA2001 there is nothing to do but wait
	p.e.owner.Unlock()
}

func noTakeOver() { panic("a turn was released") }

// eachWay runs f with a turn that borrows the loop, and with one that goes through it.
func eachWay(t *testing.T, f func(t *testing.T, way func(p *turnPlayer, run func()))) {
	t.Run("borrowed", func(t *testing.T) {
		f(t, func(p *turnPlayer, run func()) { p.loopIsFree(); run() })
	})
	t.Run("through the loop", func(t *testing.T) {
		f(t, func(p *turnPlayer, run func()) { p.throughTheLoop(run) })
	})
}

func TestATurnRunsItsCallsInOrder(t *testing.T) {
	eachWay(t, func(t *testing.T, way func(*turnPlayer, func())) {
		p := newTurnPlayer(t, 3, nil)
		for range 3 { // calls may be used again
			p.ask(0, []string{"SET", "k", "a"})
			p.ask(1, []string{"APPEND", "k", "b"})
			p.ask(2, []string{"GET", "k"})
			way(p, func() { assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls, noTakeOver)) })
			require.Equal(t, "OK", p.calls[0].Batch.Replies[0].Text())
			require.Equal(t, "ab", p.calls[2].Batch.Replies[0].Text())
		}
	})
}

func TestATurnDoesNotWaitForACommandThatWaits(t *testing.T) {
	eachWay(t, func(t *testing.T, way func(*turnPlayer, func())) {
		p := newTurnPlayer(t, 2, nil)
		p.ask(0, []string{"PING"}, []string{"BLPOP", "k", "0"}, []string{"ECHO", "behind"})
		way(p, func() { assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver)) })
		require.False(t, p.calls[0].Late)
		require.True(t, p.calls[0].Batch.Blocked)
		require.Len(t, p.calls[0].Batch.Replies, 1)
		p.ask(1, []string{"PING"})
		way(p, func() { assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls, noTakeOver)) }) // runs the rest of the batch
		require.True(t, p.calls[0].Late)
		require.False(t, p.calls[1].Late)
		p.ask(1, []string{"RPUSH", "k", "v"})
		way(p, func() { assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls[1:], noTakeOver)) })
		<-p.over[0]
		require.NoError(t, p.calls[0].Err)
		require.Equal(t, "v", p.calls[0].Batch.Replies[0].Slice()[1].Text())
		require.Equal(t, "behind", p.calls[0].Batch.Replies[1].Text())
	})
}

func TestATurnWhoseCallClosesASessionEndsWhatWaitsInIt(t *testing.T) {
	eachWay(t, func(t *testing.T, way func(*turnPlayer, func())) {
		p := newTurnPlayer(t, 2, nil)
		p.ask(0, []string{"BLPOP", "k", "0"})
		require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
		require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
		require.True(t, p.calls[0].Late)
		last := enginedoor.Of(p.sessions[0]).NewCall(nil)
		last.Close, last.Batch = true, &enginedoor.Batch{BytesIn: 1000}
		p.ask(1, []string{"RPUSH", "k", "v"}, []string{"LLEN", "k"}, []string{"INFO", "stats"})
		way(p, func() { assert.True(t, enginedoor.Of(p.e).RunTurn([]*enginedoor.Call{last, p.calls[1]}, noTakeOver)) })
		require.NoError(t, last.Err)
		<-p.over[0]
		require.ErrorIs(t, p.calls[0].Err, ErrSessionClosed)
		require.Equal(t, int64(1), p.calls[1].Batch.Replies[1].MustInt())
		require.Contains(t, p.calls[1].Batch.Replies[2].Text(), "total_net_input_bytes:1000\r\n")
	})
}

// TestABusyScriptReleasesItsTurn has a busy script between two calls of a turn. The call after it
// gets BUSY, the turn returns or is taken over, and the next turn kills the script.
func TestABusyScriptReleasesItsTurn(t *testing.T) {
	for _, borrowed := range []bool{true, false} {
		t.Run(map[bool]string{true: "borrowed", false: "through the loop"}[borrowed], func(t *testing.T) {
			p := newTurnPlayer(t, 4, map[string]string{"busy-reply-threshold": "1"})
			p.ask(0, []string{"SET", "k", "v"})
			p.ask(1, []string{"EVAL", "while true do end", "0"}, []string{"GET", "k"})
			p.ask(2, []string{"GET", "k"})
			p.ask(3, []string{"PING"})
			released := make(chan struct{})
			var old sync.WaitGroup
			if borrowed {
				p.loopIsFree()
				old.Go(func() { assert.False(t, enginedoor.Of(p.e).RunTurn(p.calls, func() { close(released) })) })
			} else {
				p.throughTheLoop(func() { assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls, noTakeOver)); close(released) })
			}
			<-released
			require.False(t, p.calls[0].Late)
			require.Equal(t, "OK", p.calls[0].Batch.Replies[0].Text())
			require.True(t, p.calls[1].Late)
			for _, i := range []int{2, 3} {
				require.False(t, p.calls[i].Late)
				require.Contains(t, p.calls[i].Batch.Replies[0].Text(), "BUSY")
			}
			p.ask(2, []string{"SCRIPT", "KILL"})
			require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[2:], noTakeOver))
			require.Equal(t, "OK", p.calls[2].Batch.Replies[0].Text())
			<-p.over[1]
			require.Contains(t, p.calls[1].Batch.Replies[0].Text(), "Script killed by user")
			require.Equal(t, "v", p.calls[1].Batch.Replies[1].Text())
			old.Wait()
			p.ask(0, []string{"GET", "k"})
			require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
			require.Equal(t, "v", p.calls[0].Batch.Replies[0].Text())
		})
	}
}

// TestATurnOvertakesNoCallThatWaitsForTheLoop has a call that the loop has taken but cannot run yet
// when the loop becomes free.
func TestATurnOvertakesNoCallThatWaitsForTheLoop(t *testing.T) {
	p := newTurnPlayer(t, 1, nil)
	for range 100 {
		p.e.owner.Lock()
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := p.e.Do(context.Background(), "SET", "k", "a")
			assert.NoError(t, err)
		})
		patience.Until(t, func() bool { return len(p.e.first) > 0 })
		p.e.owner.Unlock()
		p.ask(0, []string{"APPEND", "k", "b"}, []string{"GETDEL", "k"})
		require.True(t, enginedoor.Of(p.e).RunTurn(p.calls, noTakeOver))
		require.Equal(t, "ab", p.calls[0].Batch.Replies[1].Text())
		wg.Wait()
	}
}

// onLog calls f at the first line that is logged.
type onLog struct {
	slog.Handler
	f func()
}

func (l *onLog) Enabled(context.Context, slog.Level) bool { return true }

func (l *onLog) Handle(context.Context, slog.Record) error {
	f := l.f
	if l.f = nil; f != nil {
		f()
	}
	return nil
}

// TestABusyScriptBehindATurnReleasesIt has the script's batch time out in the turn: a logger moves
// the clock. So it runs when all calls of the turn have been run.
func TestABusyScriptBehindATurnReleasesIt(t *testing.T) {
	clock := NewVirtualClock(time.Unix(1e9, 0))
	log := &onLog{f: func() { clock.Advance(2 * time.Second) }}
	p := newTurnPlayerOf(t, 3, Options{Clock: clock, Logger: slog.New(log), Config: map[string]string{"busy-reply-threshold": "1"}})
	p.ask(0, []string{"BLPOP", "none", "1"}, []string{"EVAL", "while true do end", "0"})
	for range 2 {
		p.loopIsFree()
		require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
	}
	require.True(t, p.calls[0].Late)
	p.ask(1, []string{"EVAL", "redis.log(redis.LOG_WARNING, 'line')", "0"})
	released := make(chan struct{})
	var old sync.WaitGroup
	p.loopIsFree()
	old.Go(func() { assert.False(t, enginedoor.Of(p.e).RunTurn(p.calls[1:2], func() { close(released) })) })
	<-released
	require.False(t, p.calls[1].Late)
	require.Len(t, p.calls[1].Batch.Replies, 1)
	p.ask(2, []string{"SCRIPT", "KILL"})
	require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[2:], noTakeOver))
	require.Equal(t, "OK", p.calls[2].Batch.Replies[0].Text())
	<-p.over[0]
	require.Contains(t, p.calls[0].Batch.Replies[1].Text(), "Script killed by user")
	old.Wait()
}

func TestATurnAfterCloseIsRefused(t *testing.T) {
	p := newTurnPlayer(t, 2, nil)
	p.ask(0, []string{"BLPOP", "k", "0"})
	require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
	require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
	require.NoError(t, p.e.Close())
	<-p.over[0]
	require.ErrorIs(t, p.calls[0].Err, ErrClosed)
	p.ask(1, []string{"PING"})
	require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[1:], noTakeOver))
	require.False(t, p.calls[1].Late)
	require.ErrorIs(t, p.calls[1].Err, ErrClosed)
}

// TestCloseWhileATurnHasTheLoop closes the engine while a borrowed loop runs a script. The borrower
// takes the stop request, and must pass it on to the loop.
func TestCloseWhileATurnHasTheLoop(t *testing.T) {
	p := newTurnPlayer(t, 1, map[string]string{"busy-reply-threshold": "1"})
	p.ask(0, []string{"EVAL", "while true do end", "0"})
	released := make(chan struct{})
	var old sync.WaitGroup
	p.loopIsFree()
	old.Go(func() { assert.False(t, enginedoor.Of(p.e).RunTurn(p.calls, func() { close(released) })) })
	<-released
	require.NoError(t, p.e.Close())
	<-p.over[0]
	old.Wait()
	require.Contains(t, p.calls[0].Batch.Replies[0].Text(), "the engine is closed")
}

// TestATurnFromTheEnginesOwnGoroutineIsRefused covers the loop's own goroutine and a borrower.
func TestATurnFromTheEnginesOwnGoroutineIsRefused(t *testing.T) {
	p := newTurnPlayer(t, 2, nil)
	p.ask(0, []string{"PING"})
	require.NoError(t, p.e.View(context.Background(), func(Keyspace) error {
		assert.True(t, enginedoor.Of(p.e).RunTurn(p.calls[:1], noTakeOver))
		return nil
	}))
	require.ErrorIs(t, p.calls[0].Err, ErrReentrant)
	var inside error
	p.sessions[1].s.Receive = func(Value, int, int64) int64 { // called by the borrowed loop
		_, inside = p.e.Do(context.Background(), "PING")
		return 0
	}
	p.ask(1, []string{"SUBSCRIBE", "c"})
	require.True(t, enginedoor.Of(p.e).RunTurn(p.calls[1:], noTakeOver))
	require.ErrorIs(t, inside, ErrReentrant)
	_, err := p.e.Do(context.Background(), "PING") // afterwards no call is refused
	require.NoError(t, err)
}
