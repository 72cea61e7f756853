//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// syncDir flushes the names in a directory to disk. As in Redis, a file system that cannot flush
// directories is not an error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EBADF) {
		return nil
	}
	return err
}
