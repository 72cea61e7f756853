//go:build unix && !solaris && !aix

package coverage

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until no other process writes to the file. Closing the file unlocks it. Some file
// systems have no locks; there, one write to a file that is open for appending is whole anyway.
func lock(f *os.File) {
	for errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX), syscall.EINTR) {
	}
}
