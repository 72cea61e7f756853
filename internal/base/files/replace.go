package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// mode is the permissions of a file that Replace writes.
const mode fs.FileMode = 0o644

// Replace replaces the file at path, or creates it, so that it contains exactly text. Its
// permissions become rw-r--r--, whatever the umask and those of the old file are. A symbolic link
// at path is replaced itself, not the file to which it points. The directory must exist.
//
// At every moment, also after a crash, path names either the complete old file (or none, if there
// was none) or the complete new one. Replace writes a temporary file in the same directory, named
// after path with ".tmp-" and digits at the end, flushes it to disk, renames it to path, and
// flushes the directory. A crash may leave the temporary file behind.
//
// When Replace returns nil, the new file survives a crash of the machine, as far as the file system
// can promise it: on Windows, and on file systems that cannot flush a directory, the rename itself
// may be lost, and then the old file is there. When it returns an error, the old file is unchanged
// and the temporary file is removed. There is one exception: if only the flush of the directory has
// failed, path names the new file, and a crash of the machine may bring the old one back.
//
// Errors wrap those of package os.
func Replace(path, text string) error { return replace(path, text, mode, nil) }

// Rewrite is [Replace] for a file that a person owns. It follows symbolic links, keeps the
// permissions and, where the process may set it, the owner. It replaces only a regular file that
// the process may write and that still contains old; otherwise it returns an error and changes
// nothing. Of the names of a file with hard links, only path gets the new text.
func Rewrite(path, old, text string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := unchanged(path, old)
	if err != nil {
		return err
	}
	return replace(path, text, info.Mode().Perm(), info)
}

// unchanged returns the properties of a regular file that may be written and contains old.
func unchanged(path, old string) (fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // the error if the file is read-only
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	now, err := io.ReadAll(io.LimitReader(f, int64(len(old))+1))
	if err == nil && string(now) != old {
		err = fmt.Errorf("%s has changed meanwhile", path)
	}
	return info, err
}

// replace writes a new file with a mode and, if owner is not nil, the owner of that file.
func replace(path, text string, mode fs.FileMode, owner fs.FileInfo) error {
	temp, err := writeTemp(path, text, mode, owner)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp)
		return err
	}
	dir := filepath.Dir(path)
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("flushing the directory %s: %w", dir, err)
	}
	return nil
}

// writeTemp writes text to a new file beside path, flushes it to disk and returns its name. After
// an error it leaves no file.
func writeTemp(path, text string, mode fs.FileMode, owner fs.FileInfo) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if owner != nil {
		keepOwner(f, owner)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
