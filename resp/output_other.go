//go:build !unix

package resp

import "syscall"

// tryWriter writes nothing where sockets cannot be tried; all goes through the queue.
type tryWriter struct{}

func (t *tryWriter) init(syscall.RawConn) {}

func (t *tryWriter) write([]byte) (int, error) { return 0, nil }
