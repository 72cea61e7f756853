package disk

import "io"

// FS is a file system. Its methods may be called by several goroutines. Errors wrap those of
// package os, so that errors.Is finds io/fs.ErrNotExist and the numbers of package syscall.
type FS interface {
	// Open opens a file for reading.
	Open(name string) (File, error)
	// Create creates a file for writing, or empties the file of that name.
	Create(name string) (File, error)
	// OpenAppend opens a file for writing at its end and creates it if there is none.
	OpenAppend(name string) (File, error)
	// Mkdir creates a directory. Its parent must exist. A directory that exists is not an error.
	Mkdir(name string) error
	// Rename gives a file another name, in one step, and replaces the file that had it.
	Rename(from, to string) error
	// Remove removes a file. It refuses directories.
	Remove(name string) error
	// Stat describes a file or a directory.
	Stat(name string) (Info, error)
	// ReadDir returns the names in a directory, sorted.
	ReadDir(name string) ([]string, error)
	// SyncDir makes the names in a directory survive a crash of the machine. It does nothing where
	// the system cannot do this.
	SyncDir(name string) error
}

// File is an open file. Its methods are for one goroutine, except that Size may be called by
// others.
type File interface {
	io.ReadWriteCloser
	// Sync makes what was written survive a crash of the machine. After an error nothing is known
	// about the bytes since the last successful Sync, and a later success does not change this: the
	// system may have dropped them.
	Sync() error
	// Truncate cuts a file that is open for writing to size bytes. The next Write goes to its end.
	Truncate(size int64) error
	// Size returns the number of bytes of the file.
	Size() (int64, error)
}

// Info describes a file or a directory.
type Info struct {
	Size int64 // bytes; of a file only
	Dir  bool
}
