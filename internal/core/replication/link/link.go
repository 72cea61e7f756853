package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is the time that a link sees.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func())
}

// Options of a link. Every field must be set unless its comment says otherwise.
type Options struct {
	Host  Host
	Clock Clock
	Log   *slog.Logger
	// Dial connects to a master, encrypted if tls is set.
	Dial func(ctx context.Context, addr string, tls bool) (net.Conn, error)
	// MaxCommand is the limit of the bytes of one command of the master. Default: 4 GiB.
	MaxCommand int
}

// Link is the connection of a replica to its master. Its methods are safe for concurrent use.
type Link struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // holds one: a second has passed

	heard   atomic.Int64 // ns since the epoch: when the master was last heard
	loading atomic.Bool  // the copy is being loaded: the master gets a newline each second

	mu       sync.Mutex
	conn     net.Conn // nil: not connected
	state    State
	silence  time.Duration // the longest silence of the master
	timedOut bool
	acks     bool // the master gets acknowledgements

	fileOffset int64 // see SetFileOffset
	offset     int64 // for the next acknowledgement
	stopTick   func()
}

// period is the time between two acknowledgements and between two attempts to connect.
const period = time.Second

// Start starts a link.
func Start(o Options) *Link {
	if o.MaxCommand <= 0 {
		o.MaxCommand = 1 << 32 & (1<<(strconv.IntSize-1) - 1)
		if o.MaxCommand == 0 {
			o.MaxCommand = 1 << 30 // where an int has 32 bits
		}
	}
	l := &Link{o: o, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.hear()
	l.mu.Lock()
	l.stopTick = o.Clock.AfterFunc(period, l.tick)
	l.mu.Unlock()
	go l.run()
	return l
}

// Stop ends the link soon. It does not wait, so the host may be waiting for the caller.
func (l *Link) Stop() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopTick()
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// Hang closes the connection. The link makes another one.
func (l *Link) Hang() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// Done is closed when the goroutine of the link has ended.
func (l *Link) Done() <-chan struct{} { return l.done }

// Heard returns when the master was last heard.
func (l *Link) Heard() time.Time { return time.Unix(0, l.heard.Load()) }

func (l *Link) hear() { l.heard.Store(l.o.Clock.Now().UnixNano()) }

// run tries until the link is stopped. It tries again immediately after a lost stream or a failed
// copy, but not more often than once in a period.
func (l *Link) run() {
	defer close(l.done)
	defer l.Stop()
	var when when
	var immediate time.Time // when the last immediate attempt began
	for l.ctx.Err() == nil {
		when = l.guard(when)
		if now := l.o.Clock.Now(); when != onTime && now.Sub(immediate) >= period {
			immediate = now
		} else if when = onTime; !l.pause() {
			return
		}
	}
}

// guard makes one attempt. A panic ends only the attempt. It returns when the next one is due.
func (l *Link) guard(when when) (next when) {
	a := &attempt{Link: l, when: when}
	defer func() {
		if p := recover(); p != nil {
			l.o.Log.Error("redmoon: panic in the link to the master", "panic", fmt.Sprint(p))
			a.err = fmt.Errorf("panic: %v", p)
		}
		switch {
		case a.streamed:
			next = afterStream
		case a.failed:
			next = afterFailure
		}
		l.drop()
		if l.ctx.Err() != nil {
			return
		}
		if a.begun {
			l.o.Host.Lost(a.err, !errors.Is(a.err, ErrProtocol))
		}
		l.change(Waiting)
	}()
	a.err = a.run()
	return onTime
}

// pause waits for the next tick. It returns false if the link has been stopped.
func (l *Link) pause() bool {
	select {
	case <-l.wake:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// tick is called by the clock each second.
func (l *Link) tick() {
	if l.ctx.Err() != nil {
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		switch {
		case l.silence > 0 && l.o.Clock.Now().Sub(l.Heard()) > l.silence && !l.loading.Load():
			l.timedOut = true
			_ = l.conn.Close()
		case l.loading.Load():
			_ = l.send([]byte("\n"))
		case l.acks:
			_ = l.send(l.ack())
		}
	}
	l.stopTick = l.o.Clock.AfterFunc(period, l.tick)
	if l.ctx.Err() != nil {
		l.stopTick()
	}
}

// ack returns an acknowledgement. The caller holds mu.
func (l *Link) ack() []byte {
	args := []string{"REPLCONF", "ACK", strconv.FormatInt(l.offset, 10)}
	if l.fileOffset > 0 {
		args = append(args, "FACK", strconv.FormatInt(l.fileOffset, 10))
	}
	return command(args...)
}

// SetFileOffset makes the acknowledgements say up to which offset the replica's append-only file is
// on the disk. 0: they say nothing of it.
func (l *Link) SetFileOffset(offset int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fileOffset = offset
}

// acknowledge sends an acknowledgement immediately.
func (l *Link) acknowledge() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || !l.acks {
		return nil
	}
	return l.send(l.ack())
}

// write sends b to the master.
func (l *Link) write(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return net.ErrClosed
	}
	return l.send(b)
}

// writeLimit is how long a few bytes to the master may wait for room.
const writeLimit = 5 * time.Second

// send is write for a caller that holds mu. A connection that does not take the bytes is closed.
func (l *Link) send(b []byte) error {
	_ = l.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	_, err := l.conn.Write(b)
	if err != nil {
		_ = l.conn.Close()
	}
	return err
}

// take makes conn the connection of the link. It closes conn if the link has been stopped.
func (l *Link) take(conn net.Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ctx.Err(); err != nil {
		_ = conn.Close()
		return err
	}
	l.conn, l.timedOut, l.acks = conn, false, false
	return nil
}

// drop closes the connection.
func (l *Link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		_ = l.conn.Close()
		l.conn = nil
	}
	l.acks = false
	l.loading.Store(false)
}

// change sets the state.
func (l *Link) change(s State) {
	l.mu.Lock()
	old := l.state
	l.state = s
	l.mu.Unlock()
	if old != s {
		l.o.Host.Changed(s)
	}
}

// command returns the bytes of a command.
func command(args ...string) []byte {
	b := strconv.AppendInt([]byte{'*'}, int64(len(args)), 10)
	for _, a := range args {
		b = append(b, "\r\n$"...)
		b = strconv.AppendInt(b, int64(len(a)), 10)
		b = append(append(b, "\r\n"...), a...)
	}
	return append(b, "\r\n"...)
}
