//go:build !linux

package redistest

import "syscall"

// bind does nothing: other systems do not share a port so.
func bind(int) (release func(), err error) { return func() {}, nil }

func unshared(string, string, syscall.RawConn) error { return nil }
