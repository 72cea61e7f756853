package persist

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/reply"
)

// dumps is the state of SAVE, BGSAVE and the save points.
type dumps struct {
	running   *dump
	scheduled bool  // BGSAVE SCHEDULE
	last      int64 // time of the last save, seconds of Unix time
	tried     int64 // time at which the last BGSAVE began
	failed    bool  // the last BGSAVE has failed
	took      int64 // seconds that the last BGSAVE took; -1: there was none
	saves     int64
}

// dump is a BGSAVE.
type dump struct {
	image   *server.RunningImage
	sink    *sink
	temp    string
	began   time.Time
	changes int64 // Store.Dirty when it began
}

// retryDelay is the number of seconds after a failed BGSAVE in which save points begin none.
const retryDelay = 5

func (d *dumps) init(f *fileSet) { d.last, d.took = f.now(), -1 }

// writing returns how RDB files are written.
func (f *fileSet) writing(base bool) rdbfile.Writing {
	server := f.s.Follows
	var place *rdbfile.Replication
	if r := f.s.Replication; r != nil && !base {
		if p, ok := r.Place(); ok {
			place = (*rdbfile.Replication)(&p)
		}
	}
	redis, valkey := f.s.FileVersions()
	return rdbfile.Writing{
		Replication:  place,
		RedisVersion: redis, ValkeyVersion: valkey, Created: f.host.Now(), UsedMemory: int64(f.s.UsedMemory()), AOFBase: base,
		Compress: f.yes("rdbcompression"), NoChecksum: !f.yes("rdbchecksum"), Version: server.DumpVersion(),
		Usage: f.usage(), Functions: f.s.Libraries(),
	}
}

// writingBase returns how the base of an append-only file is written.
func (f *fileSet) writingBase() rdbfile.Writing {
	w := f.writing(true)
	if !f.yes("aof-use-rdb-preamble") {
		w.Commands = true
		if f.yes("aof-timestamp-enabled") {
			w.Head = string(aof.AppendTimestamp(nil, f.now()))
		}
	}
	return w
}

func (f *fileSet) tempDump() string { return f.path(fmt.Sprintf("temp-%d.rdb", os.Getpid())) }

// Save implements server.Persistence.
func (f *fileSet) Save() reply.Value {
	if f.dumpRuns() {
		return reply.Err("ERR Background save already in progress")
	}
	if f.save() != nil {
		return reply.Err("ERR")
	}
	return reply.OK()
}

// dumpRuns reports whether a BGSAVE, or an image for replicas, is being written.
func (f *fileSet) dumpRuns() bool {
	return f.dumps.running != nil || f.s.RunningImageFor(server.ImageForReplicas) != nil
}

// save writes the dump in one go.
func (f *fileSet) save() error {
	temp := f.tempDump()
	err := f.claim()
	if err != nil {
		f.warning("Error saving DB: %s", err)
		return err
	}
	if err = f.writeWhole(temp); err == nil {
		err = f.enter(temp, f.path(f.s.Config.Value("dbfilename")))
	}
	if err != nil {
		f.warnOfSave(err, temp)
		return err
	}
	f.notice("DB saved on disk")
	f.s.NoteSaved(0)
	f.dumps.last, f.dumps.failed = f.now(), false
	f.dumps.saves++
	return nil
}

func (f *fileSet) writeWhole(path string) error {
	file, err := f.fs.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	err = rdbfile.Write(w, f.s.Store, f.writing(false))
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// errNaming wraps the error of a dump that is written but cannot get its name.
var errNaming = errors.New("moving the dump to its place")

// warnOfSave removes the file of a dump that has failed and logs the reason, as Redis does.
func (f *fileSet) warnOfSave(err error, temp string) {
	_ = f.fs.Remove(temp)
	if errors.Is(err, errNaming) {
		f.warning("Error moving temp DB file %s on the final destination %s (in server root dir %s): %s", filepath.Base(temp),
			f.s.Config.Value("dbfilename"), f.dir, files.Strerror(err))
		return
	}
	f.warning("Write error saving DB on disk: %s", files.Strerror(err))
}

// enter gives a finished file its name.
func (f *fileSet) enter(temp, path string) error {
	if err := f.fs.Rename(temp, path); err != nil {
		return errors.Join(errNaming, err)
	}
	return f.fs.SyncDir(filepath.Dir(path))
}

// BackgroundSave implements server.Persistence.
func (f *fileSet) BackgroundSave(inExec, schedule bool) reply.Value {
	switch {
	case f.dumpRuns():
		return reply.Err("ERR Background save already in progress")
	case f.s.RunningImage() != nil || f.rewrite != nil || inExec:
		if !schedule && !inExec {
			return reply.Err("ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to " +
				"schedule a BGSAVE whenever possible.")
		}
		f.dumps.scheduled = true
		f.tickSoon()
		return reply.Status("Background saving scheduled")
	case f.startDump() != nil:
		return reply.Err("ERR")
	}
	return reply.Status("Background saving started")
}

// startDump begins a BGSAVE.
func (f *fileSet) startDump() error {
	d := &dump{temp: f.tempDump(), began: time.Now(), changes: f.s.Store.Dirty()}
	f.dumps.scheduled, f.dumps.tried = false, f.now()
	err := f.claim()
	var file disk.File
	if err == nil {
		file, err = f.fs.Create(d.temp)
	}
	if err != nil {
		f.warning("Failed opening the temp RDB file %s (in server root dir %s) for saving: %s", filepath.Base(d.temp), f.dir, files.Strerror(err))
		f.dumps.failed = true
		return err
	}
	d.sink = newSink(file, f.yes("rdb-save-incremental-fsync"), f.s.ContinueImage)
	w := f.writing(false)
	f.dumps.running = d
	d.image, err = f.s.StartImage(server.ImageJob{
		Purpose: server.ImageForDump, Options: w.FileOptions(), Out: d.sink, Wait: d.sink.isFull,
		Done: func(err error) { f.dumpWritten(d, err) },
	})
	if err != nil {
		f.dumps.running = nil
		_ = d.sink.finish(false)
		_ = f.fs.Remove(d.temp)
		f.warning("Can't save in background: %s", err)
		f.dumps.failed = true
		return err
	}
	f.notice("Background saving started by pid %d", os.Getpid())
	return nil
}

// dumpWritten finishes the file of a BGSAVE whose image is written.
func (f *fileSet) dumpWritten(d *dump, err error) {
	path := f.path(f.s.Config.Value("dbfilename"))
	f.work.do(func() {
		ferr := d.sink.finish(err == nil)
		if err == nil {
			err = ferr
		}
		if err == nil {
			err = f.enter(d.temp, path)
		}
		f.host.Post(func() { f.dumpEnded(d, err) })
	})
}

func (f *fileSet) dumpEnded(d *dump, err error) {
	if f.dumps.running != d {
		return
	}
	f.dumps.running = nil
	f.dumps.took = int64(time.Since(d.began) / time.Second)
	switch {
	case err == nil:
		f.notice("DB saved on disk")
		f.notice("Background saving terminated with success")
		f.s.NoteSaved(f.s.Store.Dirty() - d.changes)
		f.dumps.last, f.dumps.failed = f.now(), false
		f.dumps.saves++
	case errors.Is(err, server.ErrImageAborted):
		f.warning("Background saving terminated by signal %d", 10)
	default:
		f.warnOfSave(err, d.temp)
		f.warning("Background saving error")
		f.dumps.failed = true
	}
	d.image.Release()
	f.tickSoon()
}

// abortDump ends a running BGSAVE without a result.
func (f *fileSet) abortDump() {
	if d := f.dumps.running; d != nil {
		f.dumps.running = nil
		d.image.Abort()
		f.work.wait()
		d.image.Release()
	}
}

// LastSave implements server.Persistence.
func (f *fileSet) LastSave() int64 { return f.dumps.last }

// savePoint is a rule of the parameter save.
type savePoint struct{ seconds, changes int64 }

func (f *fileSet) savePoints() (list []savePoint) {
	words := strings.Fields(f.s.Config.Value("save"))
	for i := 0; i+1 < len(words); i += 2 {
		seconds, _ := strconv.ParseInt(words[i], 10, 64)
		changes, _ := strconv.ParseInt(words[i+1], 10, 64)
		list = append(list, savePoint{seconds, changes})
	}
	return list
}

// Flushed implements server.Persistence: an empty dump replaces the old one.
func (f *fileSet) Flushed() {
	if f.dumps.running != nil {
		f.abortDump()
	}
	if len(f.savePoints()) > 0 && f.save() == nil {
		f.dumps.saves-- // as in Redis, INFO does not count it
	}
}
