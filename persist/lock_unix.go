//go:build unix && !solaris && !aix

package persist

import (
	"errors"
	"os"
	"syscall"
)

var errNotDir error = syscall.ENOTDIR

// openLocked opens a file that only one process at a time can have open this way.
func openLocked(path string) (file *os.File, locked bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if errors.Is(err, os.ErrPermission) { // another user has made it
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, errors.Is(err, syscall.EWOULDBLOCK), err
	}
	return f, false, nil
}
