package faultdisk

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
)

// tree is the names of a Disk. A nil node is a directory.
type tree map[string]*node

// rename is a change of names that takes effect as a whole: names that go, and one that comes.
type rename struct {
	dir  string // the change is safe when this directory is flushed
	gone string // "" if none
	name string // "" if none
	node *node
}

func (t tree) apply(r rename) {
	if r.gone != "" {
		delete(t, r.gone)
	}
	if r.name != "" {
		t[r.name] = r.node
	}
}

// names are the names now and those that a crash leaves at least. The Disk's lock guards them.
type names struct {
	live    tree
	safe    tree
	pending []rename
}

func newNames() names { return names{live: tree{}, safe: tree{}} }

func (s *names) change(r rename) {
	s.live.apply(r)
	s.pending = append(s.pending, r)
}

// sync makes the changes of a directory safe.
func (s *names) sync(dir string) {
	s.pending = slices.DeleteFunc(s.pending, func(r rename) bool {
		if r.dir == dir {
			s.safe.apply(r)
		}
		return r.dir == dir
	})
}

// afterCrash returns the names that a crash leaves: each pending change has happened or not.
// pick(2) is 1 if it has.
func (s *names) afterCrash(pick func(k int) int) tree {
	left := maps.Clone(s.safe)
	for _, r := range s.pending {
		if pick(2) == 1 {
			left.apply(r)
		}
	}
	for name := range left { // what is in a lost directory is lost
		for dir := filepath.Dir(name); !isRoot(dir); dir = filepath.Dir(dir) {
			if n, ok := left[dir]; !ok || n != nil {
				delete(left, name)
				break
			}
		}
	}
	return left
}

// isRoot reports whether a directory exists always: the working directory and the root.
func isRoot(dir string) bool { return dir == "." || dir == filepath.Dir(dir) }

func (t tree) isDir(name string) bool {
	n, ok := t[name]
	return isRoot(name) || ok && n == nil
}

// file returns a file's node.
func (t tree) file(op, name string) (*node, error) {
	n, ok := t[name]
	switch {
	case t.isDir(name):
		return nil, &fs.PathError{Op: op, Path: name, Err: syscall.EISDIR}
	case !ok:
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}
