package datastore

import (
	"errors"
	"io"
	"iter"
)

var (
	// ErrImageActive is returned by [Store.BeginImage] if another image is in progress.
	ErrImageActive = errors.New("datastore: another image is in progress")
	// ErrImageClosed is returned by [Image.Step] after Close.
	ErrImageClosed = errors.New("datastore: the image has been closed")
	// ErrRecording is returned by [Store.BeginImage] and [Store.LoadFile] while changes are journaled
	// for Rollback.
	ErrRecording = errors.New("datastore: the store is recording")
)

// Image writes the keyspace as it is when the image begins as an RDB file, in steps. Commands may
// change the keyspace between the steps: before a key of the image changes for the first time, it
// is written. Times since the last access and access frequencies are those at the moment of
// writing.
//
// A value of more than imageWhole bytes is written in several steps. It is written in one go if it
// is about to change while it is not yet written or half written: then that one command takes as
// long as it takes to write the value. While a value is half written, keys that change are written
// to memory, and to the file after it.
//
// An image costs one bit of memory for each key. It belongs to the goroutine that owns the store.
type Image struct {
	w      *fileWriter
	tables []*imageTable // the tables that are not written completely, the current one first
	all    []*imageTable
	aside  *keyWriter // keys that were written while part was half written; nil if there are none
	err    error
	done   bool
	total  int // keys
	keys   int // keys written

	part *Entry // the entry whose value is half written, or nil
	next func() (struct{}, bool)
	stop func()
}

// imageWhole is the size in bytes, as [Store.Usage] estimates it, up to which a value is written in
// one go.
const imageWhole = 64 << 10

// imageRun is the number of keys that are written before Step looks at its limits.
const imageRun = 16

// BeginImage begins an image, which out gets in chunks of about 64 KiB, during calls of Step and of
// the commands that change a key. Write is called on the owner's goroutine: it should not block for
// long. It must not keep the slice. If Write returns an error, the image ends.
//
// The error is ErrImageActive or ErrRecording; then nothing has been written.
func (s *Store) BeginImage(out io.Writer, opt FileOptions) (*Image, error) {
	switch {
	case s.image != nil:
		return nil, ErrImageActive
	case s.Recording():
		return nil, ErrRecording
	}
	s.UpdateUsed()
	img := &Image{w: s.newFileWriter(out, opt)}
	for _, db := range s.dbs {
		if db.Len() == 0 || opt.NoKeys {
			continue
		}
		t := newImageTable(img, db)
		db.keys.image = t
		img.tables = append(img.tables, t)
		img.total += db.Len()
	}
	img.all = img.tables
	s.image = img
	s.watch()
	img.w.header()
	return img, nil
}

// Keys returns how many keys of the image have been written, and how many there are.
func (img *Image) Keys() (written, total int) { return img.keys, img.total }

// Written is the number of bytes passed to the writer of the image.
func (img *Image) Written() int64 { return img.w.written }

// Step writes more, until everything is written, or it has written about limit bytes (0 for no
// limit), or stop, which may be nil, returns true. It asks stop about every 16 KiB or 16 keys. done
// means that the file is complete. After an error, which is that of the writer or ErrImageClosed,
// the image has ended.
func (img *Image) Step(limit int64, stop func() bool) (done bool, err error) {
	from := img.w.written
	for !img.done {
		if img.err != nil {
			return false, img.err
		}
		if img.part != nil {
			img.resume()
		} else if !img.run() {
			img.complete()
			break
		}
		img.w.flush(fileChunk)
		img.fail(img.w.err)
		if limit > 0 && img.w.written-from+int64(img.w.Len()) >= limit || stop != nil && stop() {
			break
		}
	}
	return img.done, img.err
}

// run begins to write keys, and reports whether there were any.
func (img *Image) run() bool {
	begun := img.w.Len()
	for range imageRun {
		e := img.take()
		if e == nil {
			return img.w.Len() > begun
		}
		img.w.entry(img.tables[0].db, e)
		if sizeOf(e.obj) > imageWhole {
			img.begin(e)
			return true
		}
		img.w.body(e)
		img.keys++
		if img.w.Len()-begun > imageWhole/4 {
			break
		}
	}
	return true
}

// take returns the next entry to write, or nil.
func (img *Image) take() *Entry {
	for len(img.tables) > 0 {
		if e := img.tables[0].take(); e != nil {
			return e
		}
		img.tables = img.tables[1:]
	}
	return nil
}

// abandoned is the panic that ends the coroutine of a half-written value.
type abandoned struct{}

// begin begins to write the value of e in parts. It is written by a coroutine that stands still
// between the parts.
func (img *Image) begin(e *Entry) {
	img.part = e
	img.next, img.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			img.w.Pause = nil
			if r := recover(); r != nil && r != (abandoned{}) {
				panic(r)
			}
		}()
		img.w.Pause = func() {
			if !yield(struct{}{}) {
				panic(abandoned{})
			}
		}
		img.w.body(e)
	})
	img.resume()
}

// resume writes one more part of the half-written value.
func (img *Image) resume() {
	if _, more := img.next(); more {
		return
	}
	img.part, img.next, img.stop = nil, nil, nil
	img.keys++
	if img.aside != nil {
		img.w.Raw(img.aside.Buffer())
		img.w.db = img.aside.db
		img.aside = nil
	}
}

// finishPart writes the rest of the half-written value, which is about to change.
func (img *Image) finishPart() {
	for img.part != nil && img.err == nil {
		img.resume()
		img.w.flush(fileChunk)
		img.fail(img.w.err)
	}
}

// writeNow writes e, which is about to change.
func (img *Image) writeNow(db int, e *Entry) {
	img.keys++
	if img.part != nil {
		if img.aside == nil {
			img.aside = &keyWriter{rdbWriter: newWriter(img.w.opt.Dump), st: img.w.st, usage: img.w.usage, db: -1, resizes: img.w.resizes,
				commands: img.w.commands}
		}
		img.aside.entry(db, e)
		img.aside.body(e)
		return
	}
	img.w.entry(db, e)
	img.w.Pause = func() { img.w.flush(fileChunk) }
	img.w.body(e)
	img.w.Pause = nil
	img.w.flush(fileChunk)
	img.fail(img.w.err)
}

// complete writes the end of the file.
func (img *Image) complete() {
	if err := img.w.end(); err != nil {
		img.fail(err)
		return
	}
	img.done = true
	img.detach()
}

// fail ends the image if err is an error.
func (img *Image) fail(err error) {
	if err != nil && img.err == nil && !img.done {
		img.err = err
		img.detach()
	}
}

// Close ends the image. It may be called at any time, also if the image has ended. A file that is
// not complete stays so.
func (img *Image) Close() { img.fail(ErrImageClosed) }

// detach ends the effect of the image on the store.
func (img *Image) detach() {
	for _, t := range img.all {
		t.keys.image = nil
	}
	img.tables, img.all, img.aside = nil, nil, nil
	if s := img.w.st; s.image == img {
		s.image = nil
		s.watch()
	}
	if img.part != nil {
		img.stop()
		img.part, img.next, img.stop = nil, nil, nil
	}
}
