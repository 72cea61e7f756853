//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncDir accepts the answers of file systems that cannot flush a directory, as Redis does.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EBADF) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
