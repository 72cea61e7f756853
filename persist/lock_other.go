//go:build !windows && (!unix || solaris || aix)

package persist

import (
	"os"
	"syscall"
)

var errNotDir error = syscall.ENOTDIR

// openLocked opens a file. There are no locks here.
func openLocked(path string) (file *os.File, locked bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	return f, false, err
}
