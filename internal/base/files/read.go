package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ReadRegular reads a regular file of at most so many bytes. It does not wait for a pipe, and reads
// no device.
func ReadRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe waits
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, fmt.Errorf("%s: longer than %d bytes", path, most)
	}
	return b, err
}
