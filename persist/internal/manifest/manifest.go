package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Type is what a file is for.
type Type byte

// The types of files.
const (
	Base    Type = 'b'
	Incr    Type = 'i'
	History Type = 'h'
)

// File is a file of the manifest.
type File struct {
	Name string // without directory
	Seq  int64  // not 0
	Type Type
}

// Manifest is a list of files. The zero value is the manifest of an append-only file that does not
// exist yet. It is for one goroutine.
//
// Invariant: Base has type Base or is nil, Incr have type Incr and rising Seq from 1, History have
// type History.
type Manifest struct {
	Base    *File
	Incr    []File
	History []File

	lastBase, lastIncr int64 // the sequence numbers last used
}

// ErrSequence is returned if the sequence numbers of a manifest are used up.
var ErrSequence = errors.New("the AOF manifest has no further sequence number")

// Empty reports whether there are no data: neither a base nor an incremental file.
func (m *Manifest) Empty() bool { return m.Base == nil && len(m.Incr) == 0 }

// Files returns the files that are to be loaded, in order.
func (m *Manifest) Files() []File {
	var list []File
	if m.Base != nil {
		list = append(list, *m.Base)
	}
	return append(list, m.Incr...)
}

// Clone returns a copy that shares nothing with m.
func (m *Manifest) Clone() *Manifest {
	c := &Manifest{Incr: slices.Clone(m.Incr), History: slices.Clone(m.History), lastBase: m.lastBase, lastIncr: m.lastIncr}
	if m.Base != nil {
		base := *m.Base
		c.Base = &base
	}
	return c
}

// Equal reports whether two manifests have the same text.
func (m *Manifest) Equal(other *Manifest) bool { return bytes.Equal(m.Append(nil), other.Append(nil)) }

// AddBase makes a new base file of the next sequence number the base; the one before becomes the
// first history file. name is appendfilename. rdb is false if the file consists of commands. The
// error wraps [ErrSequence].
func (m *Manifest) AddBase(name string, rdb bool) (File, error) {
	suffix := "base.aof"
	if rdb {
		suffix = "base.rdb"
	}
	f, err := m.next(name, suffix, m.lastBase)
	if err != nil {
		return File{}, fmt.Errorf("%w for a base file", err)
	}
	f.Type = Base
	if m.Base != nil {
		old := *m.Base
		old.Type = History
		m.History = slices.Insert(m.History, 0, old)
	}
	m.Base, m.lastBase = &f, f.Seq
	return f, nil
}

// AddIncr appends an incremental file of the next sequence number. name is appendfilename. The
// error wraps [ErrSequence].
func (m *Manifest) AddIncr(name string) (File, error) {
	f, err := m.next(name, "incr.aof", m.lastIncr)
	if err != nil {
		return File{}, fmt.Errorf("%w for an incremental file", err)
	}
	f.Type = Incr
	m.Incr, m.lastIncr = append(m.Incr, f), f.Seq
	return f, nil
}

// next returns a file whose sequence number follows last. It leaves out names in use: Redis does
// not, and can give a new file the name of a history file, which it then removes.
func (m *Manifest) next(name, suffix string, last int64) (File, error) {
	for last < math.MaxInt64 {
		last++
		f := File{Name: fmt.Sprintf("%s.%d.%s", name, last, suffix), Seq: last}
		if last != 0 && !m.uses(f.Name) {
			return f, nil
		}
	}
	return File{}, ErrSequence
}

func (m *Manifest) uses(name string) bool {
	named := func(f File) bool { return f.Name == name }
	return m.Base != nil && named(*m.Base) || slices.ContainsFunc(m.Incr, named) || slices.ContainsFunc(m.History, named)
}

// Supersede makes history files of the incremental files, except the last keep ones.
func (m *Manifest) Supersede(keep int) {
	n := max(0, len(m.Incr)-keep)
	for _, f := range slices.Backward(m.Incr[:n]) {
		f.Type = History
		m.History = slices.Insert(m.History, 0, f)
	}
	m.Incr = slices.Delete(m.Incr, 0, n)
}
