package listen

import (
	"net"
	"syscall"
)

// soMark is the option SO_MARK of a socket.
const soMark = 36

// control sets the mark of sockets before they are bound.
func control(mark int) func(network, address string, c syscall.RawConn) error {
	if mark == 0 {
		return nil
	}
	return func(_, _ string, c syscall.RawConn) (err error) {
		if e := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soMark, mark) }); e != nil {
			return e
		}
		return err
	}
}

// setBacklog sets how many connections may wait to be accepted. Package net sets the largest
// number; a second listen changes it. An error leaves it as it is.
func setBacklog(l net.Listener, backlog int) {
	c, ok := l.(syscall.Conn)
	if !ok || backlog <= 0 {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Listen(int(fd), backlog) })
	}
}
