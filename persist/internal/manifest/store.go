package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// Place is where a manifest and its files lie.
type Place struct {
	FS   disk.FS
	Dir  string // dir with appenddirname
	Name string // appendfilename
}

// Path returns the path of a file of the manifest.
func (p Place) Path(name string) string { return filepath.Join(p.Dir, name) }

// ManifestName returns the name of the manifest itself.
func (p Place) ManifestName() string { return p.Name + ".manifest" }

func (p Place) tempName() string { return "temp-" + p.ManifestName() }

// Load reads the manifest. It returns an empty one if there is none. Errors wrap those of the file
// system, or [Error].
func (p Place) Load() (*Manifest, error) {
	path := p.Path(p.ManifestName())
	f, err := p.FS.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, p.refuseIncrements()
	}
	if err != nil {
		return nil, fmt.Errorf("can't open the AOF manifest file %s for reading: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading the AOF manifest file %s: %w", path, err)
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ErrNoManifest is wrapped by the error for increments without a manifest: a new one would begin
// with empty files in their place.
var ErrNoManifest = errors.New("the files have no manifest")

// refuseIncrements returns an error if there are increments with commands.
func (p Place) refuseIncrements() error {
	names, err := p.FS.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, p.Name+".") || !strings.HasSuffix(name, ".incr.aof") {
			continue
		}
		info, err := p.FS.Stat(p.Path(name))
		if err != nil {
			return err
		}
		if info.Size > 0 {
			return fmt.Errorf("%w: %s holds %s but not %s; restore the manifest, or move the files away", ErrNoManifest, p.Dir, name,
				p.ManifestName())
		}
	}
	return nil
}

// ReplaceError is returned if a manifest could not be replaced.
type ReplaceError struct {
	Err error
	// Uncertain is true if only the flush of the directory has failed: a crash of the machine may
	// bring either manifest back. Until a Replace succeeds, the files of both must be kept, and
	// what only the new one lists is not safe.
	Uncertain bool
}

func (e *ReplaceError) Error() string { return "replacing the AOF manifest: " + e.Err.Error() }

// Unwrap returns the error of the file system.
func (e *ReplaceError) Unwrap() error { return e.Err }

// Replace makes m the manifest on disk. At every moment the old or the new manifest is complete
// there; when Replace returns nil, the new one survives a crash, and so do the names of all files
// in the directory. Errors are of type [ReplaceError].
func (p Place) Replace(m *Manifest) error {
	temp := p.Path(p.tempName())
	if err := p.writeTemp(temp, m.Append(nil)); err != nil {
		_ = p.FS.Remove(temp)
		return &ReplaceError{Err: err}
	}
	err := p.FS.SyncDir(p.Dir) // the files that m lists must be there before m is
	if err == nil {
		err = p.FS.Rename(temp, p.Path(p.ManifestName()))
	}
	if err != nil {
		_ = p.FS.Remove(temp)
		return &ReplaceError{Err: err}
	}
	if err := p.FS.SyncDir(p.Dir); err != nil {
		return &ReplaceError{Err: err, Uncertain: true}
	}
	return nil
}

func (p Place) writeTemp(path string, text []byte) error {
	f, err := p.FS.Create(path)
	if err != nil {
		return err
	}
	n, err := f.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// DirError is returned if the directory of the manifest cannot be made.
type DirError struct {
	Dir string
	Err error // of the file system
}

func (e *DirError) Error() string {
	return "can't open or create append-only dir " + e.Dir + ": " + e.Err.Error()
}

// Unwrap returns the error of the file system.
func (e *DirError) Unwrap() error { return e.Err }

// MakeDir creates the directory of the manifest if there is none, so that it survives a crash.
// Errors are those of the file system or, if there is no directory, of type [DirError].
func (p Place) MakeDir() error {
	if err := p.FS.Mkdir(p.Dir); err != nil {
		return &DirError{p.Dir, err}
	}
	return p.FS.SyncDir(filepath.Dir(p.Dir))
}
