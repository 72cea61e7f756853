package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// LockName is the usual name of a lock file.
const LockName = "redmoon.lock"

const (
	lockWriter  = "redmoon deploy" // the mark by which the tool knows its own files
	lockVersion = 1
	maxLock     = 16 << 20 // bytes
)

// Lock is what a lock file holds: the texts that were deployed.
type Lock struct {
	Writer    string        `json:"writtenBy"`
	Version   int           `json:"format"`
	Scripts   []LockScript  `json:"scripts"`   // in the order of their paths
	Libraries []LockLibrary `json:"libraries"` // in the order of their names

	path string
}

// LockScript is a script of a lock file. Paths are relative to the folder of the lock file.
type LockScript struct {
	Path string `json:"path"`
	SHA1 string `json:"sha1"`
}

// LockLibrary is a function library of a lock file.
type LockLibrary struct {
	Name      string   `json:"name"`
	Path      string   `json:"path"`
	Version   string   `json:"version,omitempty"`
	SHA256    string   `json:"sha256"`
	Functions []string `json:"functions"`
}

// readLock reads a lock file; nil if there is none. It refuses a file that the tool did not write.
func readLock(path string) (*Lock, error) {
	text, err := files.ReadRegular(path, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &Lock{path: path}
	if err := json.Unmarshal(text, l); err != nil || l.Writer != lockWriter {
		return nil, fmt.Errorf("%s: this is no lock file of redmoon deploy; choose another name with --lock=FILE", path)
	}
	if l.Version != lockVersion {
		return nil, fmt.Errorf("%s: the format %d of the lock file is not known: a newer redmoon has written it", path, l.Version)
	}
	return l, nil
}

// lockOf returns the lock file of sources.
func lockOf(s *Sources, path string) (*Lock, error) {
	l := &Lock{Writer: lockWriter, Version: lockVersion, Scripts: []LockScript{}, Libraries: []LockLibrary{}, path: path}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	relative := func(file string) (string, error) {
		abs, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(folder, abs)
		return filepath.ToSlash(rel), err
	}
	for _, script := range s.Scripts {
		rel, err := relative(script.Path)
		if err != nil {
			return nil, err
		}
		l.Scripts = append(l.Scripts, LockScript{rel, script.SHA1})
	}
	for _, library := range s.Libraries {
		rel, err := relative(library.Path)
		if err != nil {
			return nil, err
		}
		l.Libraries = append(l.Libraries, LockLibrary{library.Name, rel, library.Version, digest(library.Text), library.Functions})
	}
	return l, nil
}

// text returns the lock file as it is written.
func (l *Lock) text() (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(l)
	return b.String(), err
}

// write writes the lock file, unless old, which may be nil, has the same text.
func (l *Lock) write(old *Lock) error {
	text, err := l.text()
	if err != nil {
		return err
	}
	if old != nil {
		if before, err := old.text(); err == nil && before == text {
			return nil
		}
	}
	return files.Replace(l.path, text)
}

// library returns the library with a name, or nil. The lock may be nil.
func (l *Lock) library(name string) *LockLibrary {
	if l == nil {
		return nil
	}
	i := slices.IndexFunc(l.Libraries, func(of LockLibrary) bool { return of.Name == name })
	if i < 0 {
		return nil
	}
	return &l.Libraries[i]
}

// note says what the lock file knows about a library that a server has and the files have not. The
// lock may be nil.
func (l *Lock) note(name, text string) string {
	if l == nil {
		return ""
	}
	of := l.library(name)
	switch {
	case of == nil:
		return "not in " + filepath.Base(l.path) + " either"
	case of.SHA256 == digest(text):
		return "as in " + filepath.Base(l.path)
	}
	return "somebody has changed it since " + filepath.Base(l.path) + " was written"
}

// compare returns how the files differ from the lock file, which may be nil, in sentences.
func (l *Lock) compare(now *Lock) (list []string) {
	if l == nil {
		return []string{now.path + ": there is no such file"}
	}
	name := filepath.Base(l.path)
	sha := map[string]string{}
	for _, s := range l.Scripts {
		sha[s.Path] = s.SHA1
	}
	for _, s := range now.Scripts {
		switch old, ok := sha[s.Path]; {
		case !ok:
			list = append(list, fmt.Sprintf("%s: %s is not in it", name, s.Path))
		case old != s.SHA1:
			list = append(list, fmt.Sprintf("%s: %s has changed: SHA1 %s then, %s now", name, s.Path, old, s.SHA1))
		}
		delete(sha, s.Path)
	}
	for _, s := range l.Scripts {
		if _, left := sha[s.Path]; left {
			list = append(list, fmt.Sprintf("%s: there is no file %s any more", name, s.Path))
		}
	}
	for _, library := range now.Libraries {
		switch old := l.library(library.Name); {
		case old == nil:
			list = append(list, fmt.Sprintf("%s: the library %s (%s) is not in it", name, library.Name, library.Path))
		case old.SHA256 != library.SHA256:
			list = append(list, fmt.Sprintf("%s: the library %s (%s) has changed%s", name, library.Name, library.Path, versions(old, library)))
		case old.Path != library.Path:
			list = append(list, fmt.Sprintf("%s: the library %s was in %s and is in %s", name, library.Name, old.Path, library.Path))
		}
	}
	for _, old := range l.Libraries {
		if now.library(old.Name) == nil {
			list = append(list, fmt.Sprintf("%s: no file has the library %s any more", name, old.Name))
		}
	}
	return list
}

// versions names two versions of a library if they differ.
func versions(old *LockLibrary, now LockLibrary) string {
	switch {
	case old.Version == now.Version && now.Version != "":
		return ", and its version is still " + now.Version
	case old.Version == now.Version:
		return ""
	}
	return fmt.Sprintf(": version %q then, %q now", old.Version, now.Version)
}
