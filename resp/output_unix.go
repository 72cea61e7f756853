//go:build unix

package resp

import "syscall"

// rawWriter writes as much to a socket as is possible without waiting.
type rawWriter struct {
	raw syscall.RawConn
	f   func(fd uintptr) bool // made once, to save the allocation of a closure per write
	b   []byte
	n   int
	err error
}

func (t *rawWriter) init(raw syscall.RawConn) {
	t.raw = raw
	t.f = func(fd uintptr) bool {
		for t.n < len(t.b) {
			n, err := syscall.Write(int(fd), t.b[t.n:])
			switch err {
			case nil:
				t.n += n
			case syscall.EINTR:
			case syscall.EAGAIN:
				return true
			default:
				t.err = err
				return true
			}
		}
		return true
	}
}

// write returns the number of bytes of b written; fewer than len(b) is not an error.
func (t *rawWriter) write(b []byte) (int, error) {
	if t.raw == nil {
		return 0, nil
	}
	t.b, t.n, t.err = b, 0, nil
	err := t.raw.Write(t.f)
	t.b = nil
	if err == nil {
		err = t.err
	}
	return t.n, err
}
