package faultdisk

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// ErrCrashed is the error of all calls after a crash.
var ErrCrashed = errors.New("faultdisk: the machine has crashed")

// Op is a kind of call.
type Op string

// The calls that a Disk counts: all of the interfaces, except Size.
const (
	Open     Op = "open" // for reading
	Create   Op = "create"
	Append   Op = "append" // OpenAppend
	Mkdir    Op = "mkdir"
	Rename   Op = "rename"
	Remove   Op = "remove"
	SyncDir  Op = "syncdir"
	Write    Op = "write"
	Sync     Op = "sync"
	Truncate Op = "truncate"
	Read     Op = "read"
	Close    Op = "close" // the file is closed although the call fails
	Stat     Op = "stat"
	ReadDir  Op = "readdir"
)

// Call is a call that is about to happen.
type Call struct {
	N     int // from 1, over all calls of the Disk
	Op    Op
	Name  string // of the file or directory; for Rename the old name
	Bytes int    // of a Write
}

// Fault is how a call fails.
type Fault struct {
	Err error // nil: ErrCrashed, and the machine crashes
	// Keep is the number of bytes that a Write writes before it fails. Default 0.
	Keep int
}

// Disk is a file system in memory. It may be used by several goroutines. Its zero value is not
// usable: make it with [New].
type Disk struct {
	mu      sync.Mutex
	names   names
	calls   int
	crashed bool
	inject  func(Call) *Fault
}

// New returns an empty Disk.
func New() *Disk { return &Disk{names: newNames()} }

// Inject sets the function that decides for each call whether it fails; nil lets it succeed. The
// call waits for the function, which may be called by several goroutines at the same time.
func (d *Disk) Inject(f func(Call) *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inject = f
}

// FailAt lets the n-th call fail, and no other.
func (d *Disk) FailAt(n int, f Fault) {
	d.Inject(func(c Call) *Fault {
		if c.N == n {
			return &f
		}
		return nil
	})
}

// Calls returns the number of calls so far.
func (d *Disk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Crash ends the Disk, if it has not crashed yet, and returns one with what the crash left. pick(k)
// returns a number from 0 to k-1: 0 always loses as much as it can without zero sectors, and a
// function of package math/rand gives a random outcome.
func (d *Disk) Crash(pick func(k int) int) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crashed = true
	left := d.names.afterCrash(pick)
	next := New()
	copies := map[*node]*node{}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		n := left[name]
		if n != nil && copies[n] == nil {
			copies[n] = n.afterCrash(pick)
		}
		next.names.live[name] = copies[n]
		next.names.safe[name] = copies[n]
	}
	return next
}

// call counts a call and returns its fault. The caller holds the lock, which call releases
// meanwhile.
func (d *Disk) call(op Op, name string, bytes int) *Fault {
	if d.crashed {
		return &Fault{Err: ErrCrashed}
	}
	d.calls++
	if d.inject == nil {
		return nil
	}
	inject, c := d.inject, Call{N: d.calls, Op: op, Name: name, Bytes: bytes}
	d.mu.Unlock()
	f := inject(c)
	d.mu.Lock()
	if d.crashed {
		return &Fault{Err: ErrCrashed}
	}
	if f != nil && f.Err == nil {
		d.crashed = true
		return &Fault{Err: ErrCrashed, Keep: f.Keep}
	}
	return f
}

// start locks the Disk and begins a call on a name. The caller unlocks it.
func (d *Disk) start(op Op, name string) (string, error) {
	d.mu.Lock()
	if f := d.call(op, name, 0); f != nil {
		return name, &fs.PathError{Op: string(op), Path: name, Err: f.Err}
	}
	return filepath.Clean(name), nil
}

// Open implements [disk.FS].
func (d *Disk) Open(name string) (disk.File, error) {
	name, err := d.start(Open, name)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	n, err := d.names.live.file("open", name)
	if err != nil {
		return nil, err
	}
	return &file{disk: d, node: n, name: name}, nil
}

// Create implements [disk.FS].
func (d *Disk) Create(name string) (disk.File, error) { return d.openWrite(Create, name) }

// OpenAppend implements [disk.FS].
func (d *Disk) OpenAppend(name string) (disk.File, error) { return d.openWrite(Append, name) }

func (d *Disk) openWrite(op Op, name string) (disk.File, error) {
	name, err := d.start(op, name)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !d.names.live.isDir(filepath.Dir(name)) {
		return nil, &fs.PathError{Op: string(op), Path: name, Err: fs.ErrNotExist}
	}
	n, err := d.names.live.file("open", name)
	if errors.Is(err, fs.ErrNotExist) {
		n = &node{}
		d.names.change(rename{dir: filepath.Dir(name), name: name, node: n})
	} else if err != nil {
		return nil, err
	}
	if op == Create && len(n.live) > 0 {
		n.change(change{truncate: true})
	}
	return &file{disk: d, node: n, name: name, write: true}, nil
}

// Mkdir implements [disk.FS].
func (d *Disk) Mkdir(name string) error {
	name, err := d.start(Mkdir, name)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	switch n, ok := d.names.live[name]; {
	case d.names.live.isDir(name):
		return nil
	case ok && n != nil:
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	case !d.names.live.isDir(dir):
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrNotExist}
	}
	d.names.change(rename{dir: dir, name: name})
	return nil
}

// Rename implements [disk.FS]. It refuses directories.
func (d *Disk) Rename(from, to string) error {
	from, err := d.start(Rename, from)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	to = filepath.Clean(to)
	n, err := d.names.live.file("rename", from)
	if err != nil {
		return err
	}
	switch dir := filepath.Dir(to); {
	case d.names.live.isDir(to):
		return &fs.PathError{Op: "rename", Path: to, Err: syscall.EISDIR}
	case !d.names.live.isDir(dir):
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrNotExist}
	default:
		d.names.change(rename{dir: dir, gone: from, name: to, node: n})
	}
	return nil
}

// Remove implements [disk.FS].
func (d *Disk) Remove(name string) error {
	name, err := d.start(Remove, name)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if _, err := d.names.live.file("remove", name); err != nil {
		return err
	}
	d.names.change(rename{dir: filepath.Dir(name), gone: name})
	return nil
}

// Stat implements [disk.FS].
func (d *Disk) Stat(name string) (disk.Info, error) {
	name, err := d.start(Stat, name)
	defer d.mu.Unlock()
	if err != nil {
		return disk.Info{}, err
	}
	if d.names.live.isDir(name) {
		return disk.Info{Dir: true}, nil
	}
	n, err := d.names.live.file("stat", name)
	if err != nil {
		return disk.Info{}, err
	}
	return disk.Info{Size: int64(len(n.live))}, nil
}

// ReadDir implements [disk.FS].
func (d *Disk) ReadDir(name string) ([]string, error) {
	name, err := d.start(ReadDir, name)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !d.names.live.isDir(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	var list []string
	for path := range d.names.live {
		if filepath.Dir(path) == name && path != name {
			list = append(list, filepath.Base(path))
		}
	}
	slices.Sort(list)
	return list, nil
}

// SyncDir implements [disk.FS].
func (d *Disk) SyncDir(name string) error {
	name, err := d.start(SyncDir, name)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if !d.names.live.isDir(name) {
		return &fs.PathError{Op: "syncdir", Path: name, Err: fs.ErrNotExist}
	}
	d.names.sync(name)
	return nil
}
