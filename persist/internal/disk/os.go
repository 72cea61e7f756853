package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Permissions of what is created, before the umask.
const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// OS returns the file system of the machine.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) Open(name string) (File, error) { return open(name, os.O_RDONLY) }

func (osFS) Create(name string) (File, error) {
	return open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

// OpenAppend does not use O_APPEND: on Windows such a file cannot be truncated.
func (osFS) OpenAppend(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		_ = f.Close()
		return nil, err
	}
	return osFile{f}, nil
}

func open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, fileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Mkdir(name string) error {
	err := os.Mkdir(name, dirMode)
	if errors.Is(err, fs.ErrExist) {
		info, statErr := os.Stat(name)
		if statErr == nil && info.IsDir() {
			return nil
		}
		if statErr == nil {
			return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
	}
	return err
}

// Rename does not use os.Rename, which hides the system's error if to is a directory.
func (osFS) Rename(from, to string) error {
	if err := rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// Remove checks first, because os.Remove removes empty directories too.
func (osFS) Remove(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.EISDIR}
	}
	return os.Remove(name)
}

func (osFS) Stat(name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	if info.IsDir() {
		return Info{Dir: true}, nil
	}
	return Info{Size: info.Size()}, nil
}

func (osFS) ReadDir(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (osFS) SyncDir(name string) error { return syncDir(name) }

// osFile is a file of the machine.
type osFile struct{ *os.File }

func (f osFile) Sync() error { return syncData(f.File) }

func (f osFile) Truncate(size int64) error {
	if err := f.File.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(size, io.SeekStart)
	return err
}

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
