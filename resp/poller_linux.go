package resp

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// The poller serves all plain connections of a server on one goroutine, in the order in which
// requests arrive, as Redis does. A turn reads from every socket that the kernel reports, passes
// all commands that have arrived to the engine in one call, and writes the replies. Events are
// edge-triggered (EPOLLET), so the kernel reports them in the order in which they happened. With
// level-triggered events, a socket would keep its old place in the kernel's list.
//
// The poller never waits for a client. Work that must wait for one (a reply for which its socket
// has no room, a debugger) is done by a goroutine to which the connection is lent (polled.away). A
// command that is blocked, or delayed by a busy script, stays with the engine, which reports its
// end (polled.inFlight).
//
// Invariant: one goroutine at a time runs the poller. It owns all fields except those that mu
// guards. It also runs the turn's commands when it can borrow the engine's loop. When a script of
// the turn is busy, another goroutine takes over.

const (
	pollEvents = 256       // events that one system call returns, at most
	pollRead   = 256 << 10 // bytes read from one connection in a turn, at most
	pollHeavy  = 256 << 10 // bytes of replies above which a goroutine of their own sends them
	pollAccept = 64        // connections accepted in a row, at most
)

type poller struct {
	s         *Server
	ep, wake  int
	socks     map[int32]*connection
	listeners map[int32]net.Listener // by our duplicate of the descriptor
	events    [pollEvents]syscall.EpollEvent

	again []*connection      // connections with more to do in the next turn
	calls []*enginedoor.Call // of the next turn
	turn  []entry            // what each of calls is for
	ran   []entry            // the same for the turn that runs, or ran last

	resting bool // an accept has failed: accept nothing until noteRested

	takeOver func()

	mu     sync.Mutex
	notes  []note
	closed bool // ep and wake are closed
	asleep atomic.Bool
}

// entry is what a call of a turn is for.
type entry struct {
	c    *connection
	call *enginedoor.Call
}

// newPoller starts a poller. It returns an error if the kernel does not provide the descriptors.
func newPoller(s *Server) (*poller, error) {
	ep, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if e != 0 {
		_ = syscall.Close(ep)
		return nil, os.NewSyscallError("eventfd2", e)
	}
	p := &poller{s: s, ep: ep, wake: int(fd), socks: map[int32]*connection{}, listeners: map[int32]net.Listener{}}
	p.takeOver = func() {
		go func() {
			p.finishTurn()
			p.run()
		}()
	}
	if err := p.register(p.wake, syscall.EPOLLIN); err != nil {
		p.close()
		return nil, err
	}
	s.wg.Add(1)
	go p.run()
	return p, nil
}

const epollET = 1 << 31

// register registers a descriptor with epoll, edge-triggered.
func (p *poller) register(fd int, events uint32) error {
	ev := syscall.EpollEvent{Events: events | epollET, Fd: int32(fd)}
	return os.NewSyscallError("epoll_ctl", syscall.EpollCtl(p.ep, syscall.EPOLL_CTL_ADD, fd, &ev))
}

// unregister ends the reports for a descriptor, even if another process holds the same file open.
func (p *poller) unregister(fd int) {
	_ = syscall.EpollCtl(p.ep, syscall.EPOLL_CTL_DEL, fd, &syscall.EpollEvent{})
}

// close closes the poller's descriptors. Notes that are posted later are dropped.
func (p *poller) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	_ = syscall.Close(p.ep)
	_ = syscall.Close(p.wake)
}

// run serves until the server is closed and the last connection has gone.
func (p *poller) run() {
	for len(p.socks) > 0 || len(p.listeners) > 0 || !p.s.isClosed() {
		n := p.wait()
		p.takeNotes()
		again := p.again
		p.again = nil
		for _, c := range again {
			c.queued = false
			p.visit(c)
		}
		if p.again == nil {
			p.again = again[:0]
		}
		for i := range n {
			p.event(&p.events[i])
		}
		if len(p.calls) > 0 && !p.runTurn() {
			return // another goroutine has taken over
		}
	}
	p.close()
	p.s.wg.Done()
}

// runTurn runs the calls of a turn and handles the replies. It returns false if another goroutine
// has taken over the poller.
func (p *poller) runTurn() bool {
	p.turn, p.ran = p.ran[:0], p.turn
	calls := p.calls
	p.calls = nil
	if !p.s.door.RunTurn(calls, p.takeOver) {
		return false
	}
	p.finishTurn()
	if p.calls == nil {
		clear(calls)
		p.calls = calls[:0]
	}
	return true
}

// finishTurn handles the replies to a turn.
func (p *poller) finishTurn() {
	for i, e := range p.ran {
		p.ran[i] = entry{}
		switch c := e.c; {
		case e.call == c.last:
			c.ended = true
			p.release(c)
		case e.call == c.call && !e.call.Late:
			p.finishBatch(c)
		}
	}
}

// wait waits for events or notes and returns the number of events. It does not wait if connections
// already have more to do.
func (p *poller) wait() int {
	if n := p.poll(); n > 0 || len(p.again)+len(p.calls) > 0 {
		return n
	}
	p.asleep.Store(true)
	p.mu.Lock()
	busy := len(p.notes) > 0
	p.mu.Unlock()
	if busy {
		p.asleep.Store(false)
		return 0
	}
	r, _, e := syscall.Syscall6(syscall.SYS_EPOLL_PWAIT,
		uintptr(p.ep), uintptr(unsafe.Pointer(&p.events[0])), pollEvents, ^uintptr(0), 0, 0)
	p.asleep.Store(false)
	if e != 0 {
		return 0 // EINTR
	}
	return int(r)
}

// poll returns the number of events that are ready now.
func (p *poller) poll() int {
	r, _, e := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.ep), uintptr(unsafe.Pointer(&p.events[0])), pollEvents, 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(r)
}

// event handles one event.
func (p *poller) event(ev *syscall.EpollEvent) {
	c := p.socks[ev.Fd]
	if c == nil {
		if l := p.listeners[ev.Fd]; l != nil {
			p.accept(ev.Fd, l)
		}
		return
	}
	c.unread = true
	if ev.Events&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		c.hung = true
	}
	p.visit(c)
}
