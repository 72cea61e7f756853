package persist

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
	"github.com/redmoon-lua/redmoon/reply"
)

// Reload implements server.Persistence (DEBUG RELOAD).
func (f *fileSet) Reload(o server.ReloadOptions) reply.Value {
	if f.s.Loading.Active { // Redis would save the part that is loaded, and go on with that
		return reply.Err(server.ErrLoading)
	}
	if !o.NoSave {
		f.abortDump()
		if f.save() != nil {
			return reply.Err("ERR")
		}
	}
	f.abortRewrite()
	f.s.StartLoading(0, false)
	if !o.NoFlush {
		f.s.EmptyDataSet()
	}
	err := f.loadDump(o)
	f.s.EndLoading()
	if err != nil {
		if halfWay(err, f.s.Store.Databases()) {
			f.fail(err)
		}
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	f.warning("DB reloaded by DEBUG RELOAD")
	if o.NoSave {
		f.Replaced()
	}
	return reply.OK()
}

// ReloadAppendOnly implements server.Persistence (DEBUG LOADAOF).
func (f *fileSet) ReloadAppendOnly() reply.Value {
	if f.s.Loading.Active {
		return reply.Err(server.ErrLoading)
	}
	m, err := f.toReload()
	if err == nil {
		f.s.StartLoading(f.aof.sizeOf(m.Files()), false)
		f.s.EmptyDataSet()
		_, err = f.loadAppendOnly(m)
		f.s.EndLoading()
		if err != nil {
			f.fail(err) // Redis ends
		}
	}
	if err != nil {
		f.warning("Error trying to load the AOF files: %s", err)
		return reply.Err("ERR Error trying to load the AOF files, check server logs.")
	}
	f.s.NoteSaved(0)
	f.warning("Append Only File loaded by DEBUG LOADAOF")
	return reply.OK()
}

// halfWay reports whether a dump was there, so that a load that has failed has left a part of it in
// memory. Redis serves that part.
func halfWay(err error, databases int) bool {
	var place *datastore.FileError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &place) && place.Offset < headBytes {
		return false
	}
	_, orderly := rdbfile.Complaint(err, databases)
	return !orderly
}

// headBytes is the number of bytes of an RDB file before the first that may hold data.
const headBytes = 9

// fail leaves the files as they are from now on, because a part of the data set is not in memory.
func (f *fileSet) fail(err error) {
	f.ready = false
	f.s.Loading.Failed = err
	if f.o.Failed != nil {
		go f.o.Failed(err)
	}
}

// toReload returns what DEBUG LOADAOF loads: what is written now, or with appendonly no what the
// directory holds. If there is nothing, Redis ends.
func (f *fileSet) toReload() (*manifest.Manifest, error) {
	f.abortRewrite()
	a := &f.aof
	if a.on() {
		a.hand()
		return a.current, a.flush()
	}
	f.usePlace()
	m, err := a.place.Load()
	if err == nil {
		_, err = a.place.Upgrade(m)
	}
	if err == nil && m.Empty() {
		err = errors.New("there are no files")
	}
	return m, err
}

// flush waits until everything is written.
func (a *appendFile) flush() error {
	done := make(chan error, 1)
	a.w.OnSafe(a.end, func(err error) { done <- err })
	return <-done
}

// Stop implements server.Persistence: the files stay as they are while the data set is replaced.
func (f *fileSet) Stop() { f.turnOff() }

// Restart implements server.Persistence: the new data set gets new files.
func (f *fileSet) Restart() {
	f.s.NoteSaved(0)
	f.restart()
}

// Resume implements server.Persistence.
func (f *fileSet) Resume() { f.restart() }

// restart turns the append-only file on if it should be. If that fails, writes are refused, and
// tick tries again after a second. (Redis does nothing else meanwhile, and ends after ten tries.)
func (f *fileSet) restart() {
	a := &f.aof
	a.absent = nil
	if !f.yes("appendonly") || a.on() {
		return
	}
	if err := f.turnOn(); err != nil {
		a.absent, a.restartAt = err, f.host.Now().Add(time.Second)
		f.warning("Failed enabling the AOF after successful master synchronization! Trying it again in one second.")
		f.tickSoon()
	}
}

// turnOn begins to write an append-only file (CONFIG SET appendonly yes).
func (f *fileSet) turnOn() error {
	a := &f.aof
	f.work.wait()
	if err := f.claim(); err != nil {
		return err
	}
	f.usePlace()
	if err := a.place.MakeDir(); err != nil {
		f.warnOfRewrite(err)
		return err
	}
	m, err := a.place.Load()
	if err != nil {
		f.warnOfManifest(err)
		return err
	}
	a.current = m
	// The file is a dummy: the rewrite switches to the one that the manifest will list.
	name := a.place.Path("temp-" + a.place.Name + ".incr")
	file, err := f.fs.Create(name)
	if err != nil {
		return err
	}
	_ = f.fs.Remove(name)
	a.waiting, a.limit, a.unlisted, a.otherSize = true, math.MaxInt64, nil, 0
	a.end, a.asked, a.released = 0, 0, 0
	a.safe.Store(0)
	a.w = aof.NewWriter(file, 0, a.options())
	a.stream.Forget()
	a.receive()
	later := f.s.RunningImage() != nil || f.s.Store.Recording()
	switch {
	case f.s.ExecLen > 0:
		later = true
		f.warning("AOF was enabled during a transaction. An AOF background was scheduled to start when possible.")
	case later:
		f.warning("AOF was enabled but there is already another background operation. An AOF background was scheduled to start when possible.")
	}
	if later {
		f.rewrites.scheduled = true
		f.tickSoon()
		return nil
	}
	if err := f.startRewrite(); err != nil {
		f.turnOff()
		return err
	}
	return nil
}

// turnOff ends the append-only file (CONFIG SET appendonly no). It stays on disk.
func (f *fileSet) turnOff() {
	a := &f.aof
	a.absent = nil
	if !a.on() {
		return
	}
	f.abortRewrite()
	a.hand()
	a.stop()
	w := a.w
	a.w = nil
	err := w.Close()
	a.origin += a.end
	a.end = 0
	a.buf, a.waiting, a.limit, a.unlisted = nil, false, math.MaxInt64, nil
	a.announceSynced()
	f.rewrites.scheduled, f.rewrites.failures = false, 0
	if err != nil {
		f.warning("Closing the append only file: %s", files.Strerror(err))
		f.host.Release(a.safe.Load(), errors.New(misconf(err)))
		return
	}
	f.host.Release(math.MaxInt64-1, nil)
}

// watchConfig gives the parameters of files their effect.
func (f *fileSet) watchConfig() {
	c := f.s.Config
	c.RefuseBy("appendonly", func(v string) string {
		if !f.ready {
			return ""
		}
		if v == "no" {
			f.turnOff()
			return ""
		}
		if err := f.turnOn(); err != nil {
			f.warning("Redis needs to enable the AOF but can't trigger a background AOF rewrite operation. Check the above logs " +
				"for more info about the error.")
			f.warning("Failed applying new configuration. Possibly related to new appendonly setting. Restoring previous settings.")
			return "Unable to turn on AOF. Check server logs."
		}
		return ""
	})
	c.RefuseBy("dir", func(v string) string {
		if err := f.enterDir(v); err != nil {
			return files.Strerror(err)
		}
		return ""
	})
	c.RefuseBy("dbfilename", func(v string) string {
		if filepath.Base(v) != v {
			return "dbfilename can't be a path, just a filename"
		}
		return ""
	})
	c.PersistenceChanged = func() {
		if f.ready {
			f.aof.applyPolicy()
			f.tickSoon()
		}
	}
}

// Shutdown implements server.Persistence.
func (f *fileSet) Shutdown(o server.ShutdownOptions) error {
	if f.s.Loading.Active || !f.ready {
		f.shut = true
		return nil
	}
	if f.dumps.running != nil {
		f.warning("There is a child saving an .rdb. Killing it!")
		f.abortDump()
	}
	a := &f.aof
	if a.on() {
		if a.waiting {
			if !o.Force {
				f.warning("Writing initial AOF, can't exit.")
				return f.cannotExit()
			}
			f.warning("Writing initial AOF. Exit anyway.")
		}
		if f.rewrite != nil {
			f.warning("There is a child rewriting the AOF. Killing it!")
			f.abortRewrite()
		}
		f.notice("Calling fsync() on the AOF file.")
		a.hand()
		if a.flush() != nil && !o.Force {
			f.warning("Fail to fsync the AOF file: %s.", files.Strerror(a.w.Err()))
			return f.cannotExit()
		}
	}
	if o.Save || len(f.savePoints()) > 0 && !o.NoSave && !f.s.Loading.CopyMissing {
		f.notice("Saving the final RDB snapshot before exiting.")
		f.awaitClaim(finalWait)
		if f.save() != nil {
			if !o.Force {
				f.warning("Error trying to save the DB, can't exit.")
				return f.cannotExit()
			}
			f.warning("Error trying to save the DB. Exit anyway.")
		}
	}
	f.shut = true
	return nil
}

// cannotExit logs that SHUTDOWN has failed.
func (f *fileSet) cannotExit() error {
	f.warning("Errors trying to shut down the server. Check the logs for more information.")
	return errShutdown
}

//lint:ignore ST1005 the words of Redis
var errShutdown = errors.New("ERR Errors trying to SHUTDOWN. Check logs.")

// Close implements server.Persistence.
func (f *fileSet) Close() error {
	var err error
	if f.ready && !f.shut {
		err = f.Shutdown(server.ShutdownOptions{Force: true})
		if f.dumps.failed && len(f.savePoints()) > 0 {
			err = errors.New("redmoon: the data set could not be saved")
		}
	}
	f.closed = true
	if f.stopTick != nil {
		f.stopTick()
	}
	f.abortDump()
	f.abortRewrite()
	if f.aof.w != nil {
		f.aof.hand()
		if e := f.aof.w.Close(); e != nil {
			err = errors.Join(err, e)
		} else if f.aof.limit == math.MaxInt64 {
			f.host.Release(math.MaxInt64-1, nil)
		}
	}
	f.work.wait()
	f.lock.release()
	f.lock = nil
	return err
}

// WriteInfo implements server.Persistence.
func (f *fileSet) WriteInfo(w *server.InfoWriter) {
	d, a, r := &f.dumps, &f.aof, &f.rewrites
	written, total := 0, 0
	if img := f.s.RunningImage(); img != nil {
		written, total = img.Progress()
	}
	perc := 0.0
	if total > 0 {
		perc = float64(written) / float64(total) * 100
	}
	w.Zeros("current_cow_peak", "current_cow_size", "current_cow_size_age")
	w.FieldPercent("current_fork_perc", perc)
	w.Field("current_save_keys_processed", written)
	w.Field("current_save_keys_total", total)
	w.Field("rdb_changes_since_last_save", f.s.Changes())
	w.Field("rdb_bgsave_in_progress", number(f.dumpRuns()))
	w.Field("rdb_last_save_time", d.last)
	w.Field("rdb_last_bgsave_status", status(!d.failed))
	w.Field("rdb_last_bgsave_time_sec", d.took)
	w.Field("rdb_current_bgsave_time_sec", running(d.running != nil, func() time.Time { return d.running.began }))
	w.Field("rdb_saves", d.saves)
	w.Zeros("rdb_saves_consecutive_failures", "rdb_last_cow_size")
	w.Field("rdb_last_load_keys_expired", f.s.Loading.LastExpired)
	w.Field("rdb_last_load_keys_loaded", f.s.Loading.LastKeys)
	w.Field("aof_enabled", number(a.on()))
	w.Field("aof_rewrite_in_progress", number(f.rewrite != nil))
	w.Field("aof_rewrite_scheduled", number(r.scheduled))
	w.Field("aof_last_rewrite_time_sec", r.took)
	w.Field("aof_current_rewrite_time_sec", running(f.rewrite != nil, func() time.Time { return f.rewrite.began }))
	w.Field("aof_last_bgrewrite_status", status(!r.failed))
	w.Field("aof_rewrites", r.count)
	w.Field("aof_rewrites_consecutive_failures", r.failures)
	w.Field("aof_last_write_status", status(a.problem() == nil))
	w.Zeros("aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size", "slot_migration_fork_in_progress")
	if a.on() {
		st := a.w.Stats()
		w.Field("aof_current_size", a.size())
		w.Field("aof_base_size", a.baseSize)
		w.Field("aof_pending_rewrite", number(a.waiting && r.scheduled))
		w.Field("aof_buffer_length", st.Pending)
		w.Field("aof_pending_bio_fsync", number(st.Syncing))
		w.Field("aof_delayed_fsync", st.Delayed)
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func status(ok bool) string {
	if ok {
		return "ok"
	}
	return "err"
}

func running(is bool, began func() time.Time) int64 {
	if !is {
		return -1
	}
	return int64(time.Since(began()) / time.Second)
}
