package persist

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
	"github.com/redmoon-lua/redmoon/reply"
)

// rewrite is a BGREWRITEAOF: a new base file with the state of the moment at which it begins, and a
// new incremental file for what comes after it.
//
// Only the last incremental file may end in half a command. So the manifest lists the new one only
// when everything in the older ones is flushed. Until then replies wait: the limit of the
// appendFile stands at the beginning of the new file.
type rewrite struct {
	f       *fileSet
	image   *server.RunningImage
	sink    *sink
	temp    string
	began   time.Time
	incr    *manifest.File // the new incremental file; nil if appendonly is no
	pos     int64          // where it begins
	listing bool           // the manifest does not list incr yet, and will before the base is ready
	written bool           // the image is complete, or has failed
	err     error          // why it has failed
	ended   bool
	repairs bool // the way out of a lost file, which nobody has asked for yet

	commands bool // the base is made of commands
}

// Rewrite implements server.Persistence.
func (f *fileSet) Rewrite(inExec bool) reply.Value {
	switch {
	case f.rewrite != nil && f.rewrite.repairs: // Redis has none then, and begins one
		f.rewrite.repairs = false
		return reply.Status("Background append only file rewriting started")
	case f.rewrite != nil:
		return reply.Err("ERR Background append only file rewriting already in progress")
	case f.s.RunningImage() != nil || inExec:
		f.rewrites.scheduled, f.rewrites.failures = true, 0
		f.tickSoon()
		return reply.Status("Background append only file rewriting scheduled")
	case f.startRewrite() != nil:
		return reply.Err("ERR Can't execute an AOF background rewriting. Please check the server logs for more information.")
	}
	return reply.Status("Background append only file rewriting started")
}

// startRewrite begins a rewrite. Caller must check that no image is being written.
func (f *fileSet) startRewrite() error {
	f.rewrites.scheduled = false
	r := &rewrite{f: f, began: time.Now(), temp: f.path(fmt.Sprintf("temp-rewriteaof-bg-%d.aof", os.Getpid()))}
	err := r.start()
	if err != nil {
		f.warnOfRewrite(err)
		f.rewrites.fail(f.now())
	}
	return err
}

func (f *fileSet) warnOfRewrite(err error) {
	var place *manifest.DirError
	if errors.As(err, &place) {
		f.warning("Can't open or create append-only dir %s: %s", filepath.Base(place.Dir), files.Strerror(place.Err))
		return
	}
	f.warning("Can't rewrite append only file in background: %s", files.Strerror(err))
}

func (r *rewrite) start() error {
	f, a := r.f, &r.f.aof
	f.work.wait() // what is under way there is short
	if err := f.claim(); err != nil {
		return err
	}
	if !a.on() {
		f.usePlace()
	}
	if err := a.place.MakeDir(); err != nil {
		return err
	}
	if !a.on() {
		m, err := a.place.Load()
		if err != nil {
			return err
		}
		a.current = m
	}
	base, err := f.fs.Create(r.temp)
	if err != nil {
		return err
	}
	var incr disk.File
	if a.on() {
		next := a.current.Clone()
		entry, err := next.AddIncr(a.place.Name)
		if err == nil {
			incr, err = f.fs.Create(a.place.Path(entry.Name))
		}
		if err != nil {
			_ = base.Close()
			_ = f.fs.Remove(r.temp)
			return err
		}
		r.incr = &entry
		f.notice("Creating AOF incr file %s on background rewrite", entry.Name)
	}
	r.sink = newSink(base, f.yes("aof-rewrite-incremental-fsync"), f.s.ContinueImage)
	w := f.writingBase()
	f.rewrite, r.commands = r, w.Commands
	a.hand()
	r.image, err = f.s.StartImage(server.ImageJob{
		Purpose: server.ImageForRewrite, Options: w.FileOptions(), Out: r.sink, Wait: r.sink.isFull,
		Done: func(err error) { r.imageDone(err) },
	})
	if err != nil {
		f.rewrite = nil
		_ = r.sink.finish(false)
		_ = f.fs.Remove(r.temp)
		if incr != nil {
			_ = incr.Close()
			_ = f.fs.Remove(a.place.Path(r.incr.Name))
		}
		return err
	}
	if incr != nil {
		r.switchTo(incr)
	}
	f.notice("Background append only file rewriting started by pid %d", os.Getpid())
	return nil
}

// switchTo lets all later effects go to the new incremental file.
func (r *rewrite) switchTo(incr disk.File) {
	a := &r.f.aof
	lost := errors.Is(a.w.Err(), aof.ErrLost)
	a.otherSize = a.size()
	r.pos = a.w.Switch(incr)
	a.stream.Forget()
	a.limit = min(a.limit, r.pos)
	if lost || a.waiting || a.unlisted != nil {
		return // the manifest will list it together with the base
	}
	r.listing = true
	a.applyPolicy() // always: so that OnSafe means flushed
	a.w.OnSafe(r.pos, func(err error) {
		r.f.host.PostNow(func() { r.oldSafe(err) })
	})
}

// oldSafe is called when the files before the new one are flushed.
func (r *rewrite) oldSafe(err error) {
	if r.ended || !r.listing {
		return
	}
	if err != nil { // the base will cover it
		r.listing = false
		r.f.aof.applyPolicy()
		r.next()
		return
	}
	f := r.f
	next := f.aof.current.Clone()
	next.Incr = append(next.Incr, *r.incr)
	f.work.do(func() {
		err := f.aof.place.Replace(renumber(next))
		f.host.PostNow(func() { r.listed(next, err) })
	})
}

// renumber makes a manifest whose list of files was changed know its last sequence numbers.
func renumber(m *manifest.Manifest) *manifest.Manifest {
	if again, err := manifest.Parse(m.Append(nil)); err == nil {
		return again
	}
	return m
}

func (r *rewrite) listed(next *manifest.Manifest, err error) {
	a := &r.f.aof
	r.listing = false
	a.applyPolicy()
	if err != nil {
		r.f.warning("Error trying to persist the AOF manifest: %s", files.Strerror(err))
		a.unlisted = err // until the base is listed
		a.release(err)
	} else {
		a.current, a.limit = renumber(next), math.MaxInt64
		a.release(nil)
	}
	r.next()
}

// imageDone is called when the image is complete or has failed.
func (r *rewrite) imageDone(err error) {
	r.written, r.err = true, err
	r.next()
}

// next goes on when both the image is complete and the manifest is not about to change.
func (r *rewrite) next() {
	if !r.written || r.listing || r.ended {
		return
	}
	r.ended = true
	f, a := r.f, &r.f.aof
	next := a.current.Clone()
	if r.incr != nil && a.limit != math.MaxInt64 {
		next.Incr = append(next.Incr, *r.incr)
	}
	next = renumber(next)
	entry, err := next.AddBase(a.place.Name, !r.commands)
	keep := 0
	if r.incr != nil {
		keep = 1
	}
	next.Supersede(keep)
	if r.err == nil {
		r.err = err
	}
	f.work.do(func() {
		err := r.sink.finish(r.err == nil)
		if r.err == nil {
			r.err = err
		}
		if r.err == nil {
			r.err = f.fs.Rename(r.temp, a.place.Path(entry.Name))
		}
		done, size := next, int64(0)
		if r.err == nil {
			var replace *manifest.ReplaceError
			if r.err = a.place.Replace(next); errors.As(r.err, &replace) && replace.Uncertain {
				if a.place.Replace(next) == nil {
					r.err = nil
				}
			}
		} else {
			_ = f.fs.Remove(r.temp)
		}
		if r.err == nil {
			if len(next.Incr) > 0 {
				size = a.sizeOf(append([]manifest.File{*next.Base}, next.Incr[:len(next.Incr)-1]...))
			} else {
				size = a.sizeOf([]manifest.File{*next.Base})
			}
			if !f.yesDisableGC() {
				done = a.removeHistory(next)
			}
		}
		f.host.Post(func() { r.end(done, entry.Name, size) })
	})
}

// end ends the rewrite, on the loop.
func (r *rewrite) end(done *manifest.Manifest, base string, size int64) {
	f, a := r.f, &r.f.aof
	if f.rewrite != r {
		return
	}
	f.rewrite = nil
	f.rewrites.took = int64(time.Since(r.began) / time.Second)
	if r.err == nil {
		a.current = done
		a.otherSize, a.limit, a.unlisted, a.waiting = size, math.MaxInt64, nil, false
		if r.incr != nil {
			r.err = a.w.Covered(r.pos)
			a.safe.Store(max(a.safe.Load(), r.pos))
			a.asked = min(a.asked, r.pos)
		}
		a.announceSynced()
	}
	switch {
	case r.err == nil:
		a.baseSize = a.size()
		f.rewrites.failures, f.rewrites.failed = 0, false
		f.rewrites.count++
		f.notice("Background AOF rewrite terminated with success")
		f.notice("Successfully renamed the temporary AOF base file %s into %s", fmt.Sprintf("temp-rewriteaof-bg-%d.aof", os.Getpid()), base)
		f.notice("Background AOF rewrite finished successfully")
		if a.w != nil {
			a.release(a.w.Err())
			f.Await()
		}
	case errors.Is(r.err, server.ErrImageAborted):
		f.warning("Background AOF rewrite terminated by signal %d", 10)
	default:
		f.warning("Background AOF rewrite terminated with error: %s", files.Strerror(r.err))
		f.rewrites.fail(f.now())
		if a.unlisted != nil || a.waiting || a.limit != math.MaxInt64 {
			f.rewrites.scheduled, f.rewrites.failures = true, 0 // nothing is safe before it succeeds
		}
	}
	r.image.Release()
	a.applyPolicy()
	f.tickSoon()
}

// abortRewrite ends a running rewrite.
func (f *fileSet) abortRewrite() {
	r := f.rewrite
	if r == nil {
		return
	}
	f.notice("Killing running AOF rewrite child: %d", os.Getpid())
	r.image.Abort() // calls imageDone
	f.work.wait()
	f.rewrite = nil
	if !r.ended {
		r.ended = true
		_ = r.sink.finish(false)
		_ = f.fs.Remove(r.temp)
	}
	if f.aof.limit != math.MaxInt64 && f.aof.unlisted == nil && f.aof.w != nil {
		f.aof.unlisted = errors.New("the AOF manifest does not list the last file")
	}
	r.image.Release()
}
