package persist

import (
	"errors"
	"os"
	"syscall"
)

var errNotDir error = syscall.ENOTDIR

const sharingViolation syscall.Errno = 32 // ERROR_SHARING_VIOLATION

// openLocked opens a file that only one process at a time can have open this way: it shares the
// file with nobody.
func openLocked(path string) (file *os.File, locked bool, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, errors.Is(err, sharingViolation), &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), false, nil
}
