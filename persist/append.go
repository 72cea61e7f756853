package persist

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// appendFile is the append-only file that is being written. The loop owns it, except its atomic
// fields.
type appendFile struct {
	f       *fileSet
	place   manifest.Place
	current *manifest.Manifest // as on disk
	w       *aof.Writer        // nil: off
	stream  server.EffectStream
	stop    func() // ends the receiving of effects
	buf     []byte // effects that the writer does not have yet
	stamps  bool   // aof-timestamp-enabled
	stamp   int64  // the last annotation #TS

	end      int64 // position after everything that the writer has
	asked    int64 // greatest position of OnSafe
	released int64 // position up to which replies have left
	safe     atomic.Int64
	posted   atomic.Bool // the loop will release what is safe
	policy   string
	waiting  bool // turned on, and the first base is being written (AOF_WAIT_REWRITE)

	// limit is the position up to which the manifest lists the files: what comes after it is not safe,
	// whatever the writer says.
	limit    int64
	unlisted error     // the reason why the manifest could not be replaced; nil: none
	retryAt  time.Time // by the machine's clock

	// absent is an error that keeps the file off although appendonly is yes, after a copy of a
	// master's data set; nil: there is none. restartAt is the time of the next try, by the engine's
	// clock.
	absent    error
	restartAt time.Time

	// origin is the position, as sessions count it, at which the present writer began: each begins at
	// 0.
	origin   int64
	watched  atomic.Bool // somebody wants to know when more is synced
	announce atomic.Bool // the loop will announce that

	baseSize  int64 // of all files after the last rewrite or the start (aof_base_size)
	otherSize int64 // of the files that are not written any more
}

func (a *appendFile) init(f *fileSet) {
	a.f, a.limit, a.current = f, math.MaxInt64, &manifest.Manifest{}
	a.stream.To = server.ToFile
	f.rewrites.took = -1
}

// on reports whether effects are written.
func (a *appendFile) on() bool { return a.w != nil }

func (a *appendFile) policyOf() aof.Policy {
	a.policy = a.f.s.Config.Value("appendfsync")
	p := map[string]aof.Policy{"always": aof.Always, "everysec": aof.Everysec, "no": aof.No}[a.policy]
	if p == aof.Everysec && a.f.yes("no-appendfsync-on-rewrite") && a.f.s.RunningImage() != nil {
		p = aof.No
	}
	return p
}

// applyPolicy makes the writer follow the parameters.
func (a *appendFile) applyPolicy() {
	a.stamps = a.f.yes("aof-timestamp-enabled")
	if a.w == nil {
		return
	}
	p := a.policyOf()
	if a.f.rewrite != nil && a.f.rewrite.listing {
		p = aof.Always
	}
	a.w.SetPolicy(p)
}

func (a *appendFile) options() aof.Options {
	return aof.Options{Policy: a.policyOf(), Clock: clock{a.f.host}, Synced: a.announceSynced, Log: func(level slog.Level, line string) {
		a.f.log.Log(context.Background(), level, line)
	}}
}

type clock struct{ h server.Host }

func (c clock) Now() time.Time                                    { return c.h.Now() }
func (c clock) AfterFunc(d time.Duration, f func()) (stop func()) { return c.h.AfterFunc(d, f) }

// receive begins to write effects.
func (a *appendFile) receive() {
	a.applyPolicy()
	a.stop = a.f.s.Receive(server.ToFile, func(list []server.Effect, together bool) {
		if a.stamps {
			if now := a.f.now(); now > a.stamp {
				a.stamp = now
				a.buf = aof.AppendTimestamp(a.buf, now)
			}
		}
		a.buf = a.stream.Append(a.buf, list, together)
		if len(a.buf) > 64<<10 {
			a.hand()
		}
	})
}

// hand gives the writer what was received.
func (a *appendFile) hand() {
	if len(a.buf) == 0 || a.w == nil {
		return
	}
	if a.w.Full() && a.w.Err() == nil {
		_ = a.w.WaitRoom()
	}
	a.end = a.w.Append(a.buf)
	if a.buf = a.buf[:0]; cap(a.buf) > 1<<20 {
		a.buf = nil
	}
}

// Position implements server.Persistence.
func (f *fileSet) Position() int64 { return f.aof.origin + f.aof.end + int64(len(f.aof.buf)) }

// Synced implements server.Persistence. While the first base is being written, nothing is there.
func (f *fileSet) Synced() (position int64, on bool) {
	a := &f.aof
	a.watched.Store(true) // first: a flush that ends now is announced
	switch {
	case a.w == nil:
		return 0, false
	case a.waiting:
		return -1, true
	}
	return a.origin + min(a.w.Stats().Synced, a.limit), true
}

// announceSynced makes the loop announce that more is synced, if somebody wants to know.
func (a *appendFile) announceSynced() {
	if !a.watched.Swap(false) || a.announce.Swap(true) {
		return
	}
	a.f.host.Post(func() {
		a.announce.Store(false)
		a.f.s.Replication.FileSynced()
	})
}

// Holds implements server.Persistence.
func (f *fileSet) Holds() bool { return f.aof.w != nil && f.aof.policy == "always" && !f.aof.waiting }

// Await implements server.Persistence.
func (f *fileSet) Await() int64 {
	a := &f.aof
	if a.w == nil {
		return 0
	}
	a.hand()
	if a.policy != "always" || a.waiting || a.end <= a.released {
		return 0
	}
	a.ask()
	return a.end
}

// ask makes the writer report when everything is safe.
func (a *appendFile) ask() {
	if a.asked >= a.end {
		return
	}
	pos := a.end
	a.asked = pos
	a.w.OnSafe(pos, func(err error) {
		if err != nil {
			a.f.host.PostNow(func() { a.release(err) })
			return
		}
		a.safe.Store(pos)
		if !a.posted.Swap(true) {
			a.f.host.PostNow(func() {
				a.posted.Store(false)
				a.release(nil)
			})
		}
	})
}

// release lets replies leave whose writes are safe. After an error the others become errors.
func (a *appendFile) release(err error) {
	safe := min(a.safe.Load(), a.limit)
	a.released = max(a.released, safe)
	if err == nil {
		err = a.unlisted
	}
	if err != nil {
		a.released = max(a.released, a.end) // who waited gets the error; later writes are refused
		a.f.host.Release(safe, errors.New(misconf(err)))
		return
	}
	a.f.host.Release(safe, nil)
}

func misconf(err error) string {
	return "MISCONF Errors writing to the AOF file: " + files.Strerror(err)
}

// problem returns why writes must be refused, or nil.
func (a *appendFile) problem() error {
	if a.w == nil {
		return a.absent
	}
	if err := a.w.Err(); err != nil {
		return err
	}
	return a.unlisted
}

// Denied implements server.Persistence.
func (f *fileSet) Denied() string {
	if err := f.aof.problem(); err != nil {
		return misconf(err)
	}
	if f.dumps.failed && f.yes("stop-writes-on-bgsave-error") && f.s.Config.Value("save") != "" {
		return "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that " +
			"may modify the data set are disabled, because this instance is configured to report errors during writes if RDB " +
			"snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
	}
	return ""
}

// repair tries to make a broken file writable again.
func (a *appendFile) repair() {
	if errors.Is(a.w.Err(), aof.ErrLost) && a.f.rewrite == nil && a.f.s.RunningImage() == nil && !a.f.s.Store.Recording() &&
		!time.Now().Before(a.retryAt) {
		a.retryAt = time.Now().Add(time.Second)
		if a.f.startRewrite() == nil && a.f.rewrite != nil {
			a.f.rewrite.repairs = true
		}
	}
}

// Replaced implements server.Persistence.
func (f *fileSet) Replaced() {
	if f.aof.on() && !f.s.Loading.Active {
		f.newBase()
	}
}

// newBase replaces the append-only file by the present state, in one go. If that fails, writes are
// refused until a later try succeeds.
func (f *fileSet) newBase() {
	f.abortRewrite()
	f.rewrites.scheduled = true
	if f.s.RunningImage() == nil && !f.s.Store.Recording() && f.startRewrite() == nil {
		f.rewrite.image.Finish()
	}
	f.tickSoon()
}

func (f *fileSet) usePlace() {
	f.aof.place = manifest.Place{
		FS: f.fs, Dir: filepath.Join(f.dir, f.s.Config.Value("appenddirname")), Name: f.s.Config.Value("appendfilename"),
	}
}

// size returns the bytes of all files (aof_current_size).
func (a *appendFile) size() int64 {
	n := a.otherSize
	if a.w != nil {
		n += a.w.Stats().FileSize
	}
	return n
}

// sizeOf returns the bytes of files of the manifest.
func (a *appendFile) sizeOf(list []manifest.File) (n int64) {
	for _, m := range list {
		if info, err := a.f.fs.Stat(a.place.Path(m.Name)); err == nil {
			n += info.Size
		}
	}
	return n
}

// removeHistory removes the files that are superseded. It runs on the worker; m is the manifest on
// disk, and what it returns is the manifest afterwards.
func (a *appendFile) removeHistory(m *manifest.Manifest) *manifest.Manifest {
	if len(m.History) == 0 {
		return m
	}
	next := m.Clone()
	for _, h := range m.History {
		if err := a.f.fs.Remove(a.place.Path(h.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return m
		}
	}
	next.History = nil
	if a.place.Replace(next) != nil {
		return m // the next rewrite tries again
	}
	return next
}
