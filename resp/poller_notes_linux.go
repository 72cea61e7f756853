package resp

import (
	"net"
	"syscall"
	"unsafe"
)

// note is a message from another goroutine to the poller.
type note struct {
	what noteKind
	c    *connection
	ok   bool // keep the connection
	l    net.Listener
}

type noteKind uint8

const (
	noteDone   noteKind = iota // c's call has ended
	noteBack                   // the goroutine that c was lent to has returned it
	noteLook                   // c's deadline has been set
	noteListen                 // accept from l
	noteAccept                 // accept the next connections that are waiting
	noteRested                 // the pause after a failed accept is over
	noteStop                   // stop accepting from l; from all listeners if l is nil
)

// post leaves a note and wakes the poller if it sleeps. It does not wait, and may be called from
// any goroutine.
func (p *poller) post(n note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.notes = append(p.notes, n)
	if p.asleep.CompareAndSwap(true, false) {
		one := uint64(1)
		_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.wake), uintptr(unsafe.Pointer(&one)), 8)
	}
}

func (p *poller) takeNotes() {
	p.mu.Lock()
	notes := p.notes
	p.notes = nil
	p.mu.Unlock()
	for _, n := range notes {
		switch c := n.c; n.what {
		case noteDone:
			p.finishBatch(c)
		case noteBack:
			c.away = false
			if n.ok {
				p.proceed(c)
			} else {
				p.end(c)
			}
		case noteLook:
			p.stop(c)
		case noteListen:
			p.listen(n.l)
		case noteAccept:
			p.acceptAll()
		case noteRested:
			p.resting = false
			p.acceptAll()
		case noteStop:
			for fd, l := range p.listeners {
				if n.l == nil || n.l == l {
					delete(p.listeners, fd)
					p.unregister(int(fd)) // another process may hold the socket open
					_ = syscall.Close(int(fd))
				}
			}
		}
	}
}
