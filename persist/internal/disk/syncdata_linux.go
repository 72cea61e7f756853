package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncData leaves out the times of the file, as Redis does with fdatasync.
func syncData(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var syncErr error
	err = conn.Control(func(fd uintptr) {
		for {
			if syncErr = syscall.Fdatasync(int(fd)); !errors.Is(syncErr, syscall.EINTR) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return os.NewSyscallError("fdatasync", syncErr)
}
