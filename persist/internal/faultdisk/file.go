package faultdisk

import (
	"io"
	"io/fs"
	"slices"
	"syscall"
)

// file is an open file of a Disk.
type file struct {
	disk   *Disk
	node   *node
	name   string
	write  bool
	at     int64 // the next byte to read
	closed bool
}

func (f *file) fail(op Op, err error) error {
	return &fs.PathError{Op: string(op), Path: f.name, Err: err}
}

// usable returns an error for a file that is closed, or open in the other way. The Disk is locked.
func (f *file) usable(op Op, write bool) error {
	switch {
	case f.disk.crashed:
		return f.fail(op, ErrCrashed)
	case f.closed:
		return f.fail(op, fs.ErrClosed)
	case f.write != write:
		return f.fail(op, syscall.EBADF)
	}
	return nil
}

func (f *file) Read(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(Read, false); err != nil {
		return 0, err
	}
	if fault := f.disk.call(Read, f.name, len(p)); fault != nil {
		return 0, f.fail(Read, fault.Err)
	}
	if f.at >= int64(len(f.node.live)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.live[f.at:])
	f.at += int64(n)
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(Write, true); err != nil {
		return 0, err
	}
	fault := f.disk.call(Write, f.name, len(p))
	if fault != nil {
		p = p[:min(fault.Keep, len(p))]
	}
	if len(p) > 0 {
		f.node.change(change{at: int64(len(f.node.live)), data: slices.Clone(p)})
	}
	if fault != nil {
		return len(p), f.fail(Write, fault.Err)
	}
	return len(p), nil
}

func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(Sync, true); err != nil {
		return err
	}
	if fault := f.disk.call(Sync, f.name, 0); fault != nil {
		if !f.disk.crashed {
			f.node.pending = nil // dropped: later calls of Sync find nothing to do
		}
		return f.fail(Sync, fault.Err)
	}
	f.node.sync()
	return nil
}

func (f *file) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(Truncate, true); err != nil {
		return err
	}
	if fault := f.disk.call(Truncate, f.name, 0); fault != nil {
		return f.fail(Truncate, fault.Err)
	}
	f.node.change(change{truncate: true, at: size})
	return nil
}

func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.closed {
		return 0, f.fail("stat", fs.ErrClosed)
	}
	return int64(len(f.node.live)), nil
}

func (f *file) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.closed {
		return f.fail(Close, fs.ErrClosed)
	}
	f.closed = true
	if fault := f.disk.call(Close, f.name, 0); fault != nil {
		return f.fail(Close, fault.Err)
	}
	return nil
}
