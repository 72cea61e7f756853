package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Upgrade takes over the append-only file of a Redis before 7.0, which is a single file named
// appendfilename beside the directory: it becomes the base file. m is what [Place.Load] returned;
// Upgrade changes it and reports whether there was such a file to take over. As Redis, it leaves
// the file alone if the manifest lists other data. After an error, and after a crash at any moment,
// the next Upgrade continues where this one ended. The move survives a crash after the next
// [Place.Replace] at the latest.
func (p Place) Upgrade(m *Manifest) (bool, error) {
	old := filepath.Join(filepath.Dir(p.Dir), p.Name)
	needed, err := p.needsUpgrade(old, m)
	if err != nil || !needed {
		return false, err
	}
	if err := p.MakeDir(); err != nil {
		return false, err
	}
	m.Base, m.lastBase = &File{Name: p.Name, Seq: 1, Type: Base}, 1
	if err := p.Replace(m); err != nil {
		return false, err
	}
	if err := p.FS.Rename(old, p.Path(p.Name)); err != nil {
		return false, fmt.Errorf("moving the old AOF file %s into dir %s: %w", old, p.Dir, err)
	}
	return true, errors.Join(p.FS.SyncDir(p.Dir), p.FS.SyncDir(filepath.Dir(p.Dir)))
}

func (p Place) needsUpgrade(old string, m *Manifest) (bool, error) {
	if there, err := p.isFile(old); !there {
		return false, err
	}
	if m.Empty() {
		return true, nil
	}
	if m.Base == nil || m.Base.Name != p.Name || len(m.Incr) > 0 {
		return false, nil
	}
	moved, err := p.isFile(p.Path(p.Name)) // false: an upgrade ended between manifest and rename
	return !moved, err
}

func (p Place) isFile(path string) (bool, error) {
	info, err := p.FS.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !info.Dir, err
}
