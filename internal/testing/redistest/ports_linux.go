package redistest

import "syscall"

// bind keeps a TCP port without listening on it. The address is one that no server uses, since a
// server on all addresses must still get the port: Linux lets it have the port if both sockets have
// SO_REUSEADDR and the one that has it does not listen. Before that option is set, nobody else can
// bind the same.
func bind(port int) (release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 2}}); err == nil {
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return func() { _ = syscall.Close(fd) }, nil
}

// unshared makes a socket bind only what nobody else has, whether that listens or not.
func unshared(_, _ string, c syscall.RawConn) error {
	var err error
	if e := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0) }); e != nil {
		return e
	}
	return err
}
