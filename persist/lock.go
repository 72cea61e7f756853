package persist

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked is wrapped by the error of engine.New if another engine, in this or another process,
// has its files in the same directory: both would write the same files.
var ErrLocked = errors.New("the directory is in use by another engine")

// lockName is the name of the file that is locked. It stays when the engine has ended; it holds the
// process ID of the last owner, if that could write it.
const lockName = ".redmoon.lock"

// dirLock is the right to write files in a directory. nil is none.
type dirLock struct{ file *os.File }

func lockDir(dir string) (*dirLock, error) {
	path := filepath.Join(dir, lockName)
	f, locked, err := openLocked(path)
	if locked {
		owner, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%s: %w (process %s)", dir, ErrLocked, strings.TrimSpace(string(owner)))
	}
	if err != nil {
		return nil, err
	}
	if f.Truncate(0) == nil { // it fails for a file of another user
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return &dirLock{f}, nil
}

func (l *dirLock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}
