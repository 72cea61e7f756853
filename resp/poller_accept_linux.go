package resp

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// listen starts to accept connections from l.
func (p *poller) listen(l net.Listener) {
	if p.s.isClosed() {
		return
	}
	fd, err := descriptor(l)
	if err == nil {
		if err = p.register(fd, syscall.EPOLLIN); err == nil {
			p.listeners[int32(fd)] = l
			return
		}
		_ = syscall.Close(fd)
	}
	if !errors.Is(err, net.ErrClosed) { // the program has changed its mind
		p.s.opts.Logger.Warn("resp: listen", "error", err)
	}
}

// descriptor returns a duplicate of a listener's descriptor.
func descriptor(l net.Listener) (fd int, err error) {
	raw, err := l.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Control(func(its uintptr) { fd, err = dup(int(its)) }); e != nil {
		return 0, e
	}
	return fd, err
}

// accept accepts the connections that are waiting at a listener.
func (p *poller) accept(lfd int32, l net.Listener) {
	if p.resting {
		return
	}
	for range pollAccept {
		fd, sa, err := syscall.Accept4(int(lfd), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch {
		case err == nil:
			p.open(fd, sa, l)
		case errors.Is(err, syscall.EAGAIN):
			return
		case errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED):
		case errors.Is(err, syscall.EINVAL): // it does not listen any more: see stopListeningOn
			return
		default: // most likely no free descriptor: another connection must end first
			p.s.opts.Logger.Warn("resp: accept", "error", os.NewSyscallError("accept4", err))
			p.resting = true
			time.AfterFunc(acceptPause, func() { p.post(note{what: noteRested}) })
			return
		}
	}
	p.post(note{what: noteAccept}) // serve the others first
}

// acceptAll accepts the connections that are waiting at all listeners.
func (p *poller) acceptAll() {
	for fd, l := range p.listeners {
		p.accept(fd, l)
	}
}

// open starts to serve a connection.
func (p *poller) open(fd int, sa syscall.Sockaddr, l net.Listener) {
	sock := &socket{fd: fd, addr: l.Addr(), peer: addrOf(sa)}
	if own, err := syscall.Getsockname(fd); err == nil {
		sock.addr = addrOf(own)
	}
	if !p.s.admit(sock) {
		sock.free()
		return
	}
	c, err := p.s.connect(sock)
	if err == nil {
		sock.setOptions(p.s.limits().KeepAlive)
		err = p.register(fd, syscall.EPOLLIN|syscall.EPOLLRDHUP)
	}
	if err != nil {
		if c != nil {
			_ = c.sess.Close()
		}
		sock.free()
		p.s.forget(sock)
		p.s.wg.Done()
		return
	}
	sess := c.sess.(engineSession)
	c.p, c.sock = p, sock
	c.call = sess.NewCall(func() { p.post(note{what: noteDone, c: c}) })
	c.call.Batch = &c.batch
	c.cancel, c.last = sess.NewCall(func() {}), sess.NewCall(func() {})
	c.cancel.Close, c.last.Close = true, true
	sock.mu.Lock()
	sock.look = func() { p.post(note{what: noteLook, c: c}) }
	sock.mu.Unlock()
	p.socks[int32(fd)] = c
	if sock.expired() {
		p.stop(c)
		return
	}
	p.submit(c) // without commands: the engine sets whether a password is needed
}

// listening serves l by the poller and returns true when the server or l is closed. It returns
// false if the poller cannot serve l.
func (s *Server) listening(l net.Listener) (bool, error) {
	switch l.(type) {
	case *net.TCPListener, *net.UnixListener:
	default:
		return false, nil
	}
	if s.engine == nil {
		return false, nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return true, ErrServerClosed
	}
	if s.poller == nil {
		p, err := newPoller(s)
		if err != nil {
			s.mu.Unlock()
			s.opts.Logger.Warn("resp: no poller; using a goroutine for each connection", "error", err)
			return false, nil
		}
		s.poller = p
	}
	p := s.poller
	s.mu.Unlock()
	p.post(note{what: noteListen, l: l})
	look := time.NewTicker(time.Second)
	defer look.Stop()
	err := s.waitForEnd(l, look.C)
	if !errors.Is(err, ErrServerClosed) {
		p.post(note{what: noteStop, l: l})
	}
	return true, err
}

// waitForEnd returns [ErrServerClosed] when the server is closed, or the error of l when the
// program has closed l. Nothing reports that, so it looks at each tick.
func (s *Server) waitForEnd(l net.Listener, ticks <-chan time.Time) error {
	raw, err := l.(syscall.Conn).SyscallConn()
	for err == nil {
		select {
		case <-s.stopped:
			return ErrServerClosed
		case <-ticks:
			err = raw.Control(func(uintptr) {})
		}
	}
	if s.isClosed() { // Close closes the listeners first
		return ErrServerClosed
	}
	return err
}

// stopListening makes the poller close its listeners.
func (p *poller) stopListening() { p.post(note{what: noteStop}) }

// stopListeningOn makes the poller close one listener. The poller may be busy, and its duplicate of
// the descriptor would keep the address: the socket itself stops listening immediately.
func (p *poller) stopListeningOn(l net.Listener) {
	if tcp, ok := l.(*net.TCPListener); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
		}
	}
	p.post(note{what: noteStop, l: l})
}
