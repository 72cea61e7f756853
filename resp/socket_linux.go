package resp

import (
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// socket is a connection that the poller has accepted. The poller reads and writes it without
// waiting. Read, Write and the deadlines of [net.Conn] are for goroutines that may wait, for
// example one that writes to a slow client. They use Go's network poller, with which the connection
// is registered at the first such call.
type socket struct {
	fd         int
	addr, peer net.Addr
	probeAfter int64      // tcp-keepalive, s
	look       func()     // notifies the poller that a deadline has been set
	writing    sync.Mutex // held during Write: a debugger and the outbox may write at the same time
	mu         sync.Mutex // guards the fields below
	waits      net.Conn   // a duplicate in Go's network poller; nil until first needed
	deadline   time.Time  // for reading
	closed     bool       // both directions are shut
	freed      bool       // fd is closed: no other field may be used
}

// Descriptor returns the number of the file descriptor.
func (s *socket) Descriptor() int { return s.fd }

// readRaw reads what has arrived. The error is syscall.EAGAIN if there is nothing to read. At the
// end of the stream n is 0 and err is nil.
func (s *socket) readRaw(b []byte) (n int, err error) {
	for {
		r, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch e {
		case 0:
			return int(r), nil
		case syscall.EINTR:
		default:
			return 0, e
		}
	}
}

// TryWrite writes as much as the socket has room for and does not wait.
func (s *socket) TryWrite(b []byte) (n int, err error) {
	for n < len(b) {
		r, _, e := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&b[n])), uintptr(len(b)-n))
		switch e {
		case 0:
			n += int(r)
		case syscall.EINTR:
		case syscall.EAGAIN:
			return n, nil
		default:
			return n, e
		}
	}
	return n, nil
}

// waiting returns the duplicate that is in Go's network poller, and makes it if necessary.
func (s *socket) waiting() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, net.ErrClosed
	}
	if s.waits != nil {
		return s.waits, nil
	}
	fd, err := dup(s.fd)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	nc, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	keepAlive(nc, s.probeAfter) // FileConn has set its own
	_ = nc.SetReadDeadline(s.deadline)
	s.waits = nc
	return nc, nil
}

// dup returns another descriptor of the same socket.
func dup(fd int) (int, error) {
	r, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if e != 0 {
		return 0, os.NewSyscallError("fcntl", e)
	}
	return int(r), nil
}

// Read implements [net.Conn].
func (s *socket) Read(b []byte) (int, error) {
	nc, err := s.waiting()
	if err != nil {
		return 0, err
	}
	return nc.Read(b)
}

// Write implements [net.Conn].
func (s *socket) Write(b []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.TryWrite(b)
	if err != nil || n == len(b) {
		return n, err
	}
	nc, err := s.waiting()
	if err != nil {
		return n, err
	}
	more, err := nc.Write(b[n:])
	return n + more, err
}

// Close shuts the connection down. The descriptor stays open until free, so that its number is not
// reused while a goroutine may still use it.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	_ = syscall.Shutdown(s.fd, syscall.SHUT_RDWR)
	if s.waits != nil {
		_ = s.waits.Close()
	}
	return nil
}

// free closes the descriptor. No goroutine may be reading or writing.
func (s *socket) free() {
	_ = s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.freed {
		s.freed = true
		_ = syscall.Close(s.fd)
	}
}

// LocalAddr implements [net.Conn].
func (s *socket) LocalAddr() net.Addr { return s.addr }

// RemoteAddr implements [net.Conn].
func (s *socket) RemoteAddr() net.Addr { return s.peer }

// SetDeadline implements [net.Conn].
func (s *socket) SetDeadline(t time.Time) error {
	if err := s.SetReadDeadline(t); err != nil {
		return err
	}
	return s.SetWriteDeadline(t)
}

// SetReadDeadline implements [net.Conn]. The poller treats every deadline as one that has passed:
// only Shutdown sets one.
func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	if s.waits != nil {
		_ = s.waits.SetReadDeadline(t)
	}
	if s.look != nil {
		s.look()
	}
	return nil
}

// SetWriteDeadline implements [net.Conn].
func (s *socket) SetWriteDeadline(t time.Time) error {
	nc, err := s.waiting()
	if err != nil {
		return err
	}
	return nc.SetWriteDeadline(t)
}

// expired reports whether Shutdown has asked the connection to end.
func (s *socket) expired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.deadline.IsZero()
}

// setOptions turns TCP_NODELAY and keep-alive probes on for a TCP connection. keepAlive is in
// seconds; 0: no probes.
func (s *socket) setOptions(keepAlive int64) {
	if _, ok := s.peer.(*net.TCPAddr); !ok {
		return
	}
	s.probeAfter = keepAlive
	set := func(level, option, value int) { _ = syscall.SetsockoptInt(s.fd, level, option, value) }
	set(syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	if keepAlive <= 0 {
		set(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 0)
		return
	}
	set(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1)
	// the kernel takes no more
	set(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, int(min(keepAlive, 32767)))
	set(syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, int(min(max(1, keepAlive/3), 32767)))
	set(syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 3)
}

// addrOf converts a socket address to one of package net.
func addrOf(sa syscall.Sockaddr) net.Addr {
	switch a := sa.(type) {
	case *syscall.SockaddrInet4:
		return &net.TCPAddr{IP: append(net.IP(nil), a.Addr[:]...), Port: a.Port}
	case *syscall.SockaddrInet6:
		zone := ""
		if a.ZoneId != 0 {
			zone = strconv.Itoa(int(a.ZoneId))
			if i, err := net.InterfaceByIndex(int(a.ZoneId)); err == nil {
				zone = i.Name
			}
		}
		return &net.TCPAddr{IP: append(net.IP(nil), a.Addr[:]...), Port: a.Port, Zone: zone}
	case *syscall.SockaddrUnix:
		return &net.UnixAddr{Name: a.Name, Net: "unix"}
	}
	return &net.UnixAddr{Net: "unix"}
}
