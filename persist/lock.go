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
// process ID of the last owner.
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
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &dirLock{f}, nil
}

func (l *dirLock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}
