package persist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// Load implements server.Persistence.
func (f *fileSet) Load() error {
	if err := f.loadAtStart(); err != nil {
		return fmt.Errorf("redmoon: loading the data set: %w", err)
	}
	f.ready = true
	f.s.NoteSaved(0)
	f.tickSoon()
	return nil
}

func (f *fileSet) loadAtStart() error {
	if !f.yes("appendonly") {
		return f.loadDumpAtStart()
	}
	if err := f.claim(); errors.Is(err, ErrLocked) {
		return err
	} else if err != nil { // a full disk, for example: what is there can be read
		f.warning("Can't lock the directory %s: %s", f.dir, files.Strerror(err))
	}
	f.usePlace()
	m, err := f.aof.place.Load()
	if err != nil {
		return f.warnOfManifest(err)
	}
	upgraded, err := f.aof.place.Upgrade(m)
	if err != nil {
		return err
	}
	if upgraded {
		f.notice("Successfully migrated an old-style AOF file (%s) into the AOF directory (%s).", f.aof.place.Name,
			f.s.Config.Value("appenddirname"))
	}
	f.aof.current = m
	dump := f.path(f.s.Config.Value("dbfilename"))
	if _, err := f.fs.Stat(dump); err == nil && m.Empty() {
		f.warning("%s exists and is not loaded, because appendonly is yes and there is no append-only file. The next dump replaces it. "+
			"To use it, start with appendonly no, then set appendonly to yes by CONFIG SET.", dump)
	}
	began := time.Now()
	last, err := f.loadAppendOnly(m)
	if err != nil {
		return err
	}
	if !m.Empty() {
		f.notice("DB loaded from append only file: %s", since(began))
	}
	return f.openAppendOnly(last)
}

// loadDumpAtStart loads dump.rdb, if it is there. The replication goes on where the dump says.
func (f *fileSet) loadDumpAtStart() error {
	r := f.s.Replication
	if r != nil {
		r.BeginRestart()
	}
	err := f.loadDump(server.ReloadOptions{})
	if p := f.place; r != nil {
		r.EndRestart(server.ReplicationPlace(p), err == nil && p.ID != "")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// reading returns how RDB files are read.
func (f *fileSet) reading() rdbfile.Reading {
	o := f.s.FileReading()
	return rdbfile.Reading{Version: o.Version, Relaxed: o.Relaxed, Valkey: o.Valkey, SkipChecksum: o.SkipChecksum}
}

// loadDump loads dump.rdb.
func (f *fileSet) loadDump(o server.ReloadOptions) error {
	path, began := f.path(f.s.Config.Value("dbfilename")), time.Now()
	file, err := f.fs.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	size, _ := file.Size()
	if !f.s.Loading.Active {
		f.s.StartLoading(size, false)
		defer f.s.EndLoading()
	}
	if _, err := f.loadRDB(file, false, 0, o); err != nil {
		if f.warnOfRDB(err) {
			f.warning("%s", textFatalLoad.Of(f.s.Follows))
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	if !f.ready {
		f.notice("DB loaded from disk: %s", since(began))
	}
	return nil
}

// loadRDB loads an RDB file, or the RDB part of an append-only file. before is the number of bytes
// that were loaded from other files.
func (f *fileSet) loadRDB(r io.Reader, base bool, before int64, o server.ReloadOptions) (rdbfile.Loaded, error) {
	var libraries []string
	policy := f.s.Config.Value("maxmemory-policy")
	last, had := &f.s.Loading, f.keys()
	last.LastKeys, last.LastExpired = 0, 0
	done, err := rdbfile.Load(r, f.s.Store, rdbfile.Loading{
		Reading: f.reading(), KeepExpired: base || f.s.Following.Active, Replace: o.Merge,
		Expired: func(db int, key string) {
			if !f.ready {
				f.s.NoteExpired(db, key)
			}
		},
		Idle: !strings.HasSuffix(policy, "lfu"), Freq: strings.HasSuffix(policy, "lfu"),
		Function: func(text string) error { libraries = append(libraries, text); return nil },
		Progress: func(read int64) error {
			last.LastKeys = f.keys() - had
			f.s.LoadingProgress(before + read)
			return f.interrupted()
		},
	})
	last.LastKeys, last.LastExpired = done.Keys, done.Expired
	if err != nil {
		return done, err
	}
	f.place = done.Replication
	how := server.RestoreAppend
	if o.Merge {
		how = server.RestoreReplace
	}
	if err := f.s.RestoreLibraries(libraries, how); err != nil {
		return done, err
	}
	done.Log(f.log, f.host.Now(), rdbfile.LogForm{
		Kinds: f.s.Follows.Has(servers.ServerInFiles), Fields: f.s.Follows.Has(servers.FieldsLeftOut),
	})
	return done, nil
}

// keys returns the number of keys of all databases.
func (f *fileSet) keys() (n int) {
	for db := range f.s.Store.Databases() {
		n += f.s.Store.DB(db).Len()
	}
	return n
}

// interrupted returns an error if the load must end because the engine does.
func (f *fileSet) interrupted() error {
	if f.shut || f.s.Loading.Unwanted && !f.ready {
		return errInterrupted
	}
	return nil
}

var errInterrupted = errors.New("the load was interrupted because the engine ends")

// loadAppendOnly loads the files of a manifest. It returns the size of the last one.
func (f *fileSet) loadAppendOnly(m *manifest.Manifest) (last int64, err error) {
	list := m.Files()
	for _, entry := range list {
		if _, err := f.fs.Stat(f.aof.place.Path(entry.Name)); err != nil {
			f.warning("Unable to obtain the AOF file %s length. stat: %s", entry.Name, files.Strerror(err))
			return 0, fmt.Errorf("a file of the manifest: %w", err)
		}
	}
	if !f.s.Loading.Active {
		f.s.StartLoading(f.aof.sizeOf(list), false)
		defer f.s.EndLoading()
	}
	before := int64(0)
	for i, entry := range list {
		began := time.Now()
		size, err := f.loadPart(entry, before, i == len(list)-1)
		if err != nil {
			return 0, err
		}
		last = size
		if size == 0 {
			continue
		}
		kind := "incr"
		if entry.Type == manifest.Base {
			kind = "base"
		}
		f.notice("DB loaded from %s file %s: %s", kind, entry.Name, since(began))
		before += size
	}
	return last, nil
}

// loadPart loads one file. It returns its size.
func (f *fileSet) loadPart(entry manifest.File, before int64, isLast bool) (size int64, err error) {
	file, err := f.fs.Open(f.aof.place.Path(entry.Name))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if size, err = file.Size(); err != nil || size == 0 {
		return 0, err
	}
	r, offset := bufio.NewReaderSize(file, 64<<10), int64(0)
	var rest io.Reader = r
	if rdb, err := aof.IsRDB(r, f.s.Follows.Has(servers.ValkeySignature)); err != nil {
		return 0, err
	} else if rdb {
		what := "RDB base file " + entry.Name
		if entry.Name == f.aof.place.Name { // made by Redis before 7.0
			f.notice("Reading RDB preamble from AOF file...")
			what = "RDB preamble of the AOF file " + entry.Name
		} else {
			f.notice("Reading RDB base file on AOF loading...")
		}
		done, err := f.loadRDB(r, true, before, server.ReloadOptions{})
		if err != nil {
			if f.warnOfRDB(err) {
				f.warning("Error reading the %s, AOF loading aborted", what)
				f.warning("Unrecoverable error reading the append only file %s: Invalid argument", entry.Name)
			}
			//lint:ignore ST1005 the words of Redis
			return 0, fmt.Errorf("Error reading the %s, AOF loading aborted: %w", what, err)
		}
		rest, offset = done.Rest, done.Bytes
	}
	err = f.replay(aof.NewReader(rest, entry.Name, offset), entry.Name, before)
	var damage *aof.Error
	if errors.As(err, &damage) && damage.Damage == aof.Truncated && isLast {
		return f.cut(entry, damage)
	}
	f.warnOfPart(err, isLast)
	if errors.As(err, &damage) && damage.Damage == aof.Truncated {
		return 0, fmt.Errorf("the truncated file is not the last file: %w", err)
	}
	return size, err
}

// replayed is the number of commands between two looks at what other clients want.
const replayed = 1024

// replay runs the commands of a file. A transaction runs when its EXEC has been read. It must have
// known commands only, also if it has no end: an EXEC that is damaged is not a torn end.
func (f *fileSet) replay(r *aof.Reader, name string, before int64) error {
	sess := f.s.NewLoaderSession()
	var transaction [][]string
	for n := 1; ; n++ {
		args, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n%replayed == 0 {
			f.s.LoadingProgress(before + r.Offset())
			if err := f.interrupted(); err != nil {
				return err
			}
		}
		if r.InMulti() {
			if !f.s.CanReplay(args) {
				return f.unknown(args, name, r.Offset())
			}
			transaction = append(transaction, args)
			continue
		}
		if len(transaction) > 0 { // args is EXEC
			for _, args := range transaction[1:] {
				if err := f.replayOne(sess, args, name, r.Offset()); err != nil {
					return err
				}
			}
			transaction = nil
			continue
		}
		if err := f.replayOne(sess, args, name, r.Offset()); err != nil {
			return err
		}
	}
}

func (f *fileSet) replayOne(sess *server.Session, args []string, name string, offset int64) error {
	if !f.s.Replay(sess, args) {
		return f.unknown(args, name, offset)
	}
	return nil
}

// unknown logs and returns the error of a command that does not exist. offset is its end.
func (f *fileSet) unknown(args []string, name string, offset int64) error {
	//lint:ignore ST1005 the words of Redis
	err := fmt.Errorf("Unknown command '%.200s' reading the append only file %s", args[0], name)
	f.warning("%s", err)
	return fmt.Errorf("%w (before offset %d)", err, offset)
}

// cut cuts a torn end off the last file.
func (f *fileSet) cut(entry manifest.File, damage *aof.Error) (int64, error) {
	if !f.yes("aof-load-truncated") {
		f.warning("Unexpected end of file reading the append only file %s. You can: 1) Make a backup of your AOF file, then use "+
			"./redis-check-aof --fix <filename.manifest>. 2) Alternatively you can set the 'aof-load-truncated' configuration option "+
			"to yes and restart the server.", entry.Name)
		return 0, fmt.Errorf("%w; with aof-load-truncated yes the rest would be cut off", damage)
	}
	if damage.Multi {
		f.warning("Revert incomplete MULTI/EXEC transaction in AOF file %s", entry.Name)
	}
	f.warning("!!! Warning: short read while loading the AOF file %s!!!", entry.Name)
	f.warning("!!! Truncating the AOF %s at offset %d !!!", entry.Name, damage.Safe)
	file, err := f.fs.OpenAppend(f.aof.place.Path(entry.Name))
	if err != nil {
		return 0, err
	}
	err = file.Truncate(damage.Safe)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, fmt.Errorf("truncating the AOF file %s: %w", entry.Name, err)
	}
	f.warning("AOF %s loaded anyway because aof-load-truncated is enabled", entry.Name)
	return damage.Safe, nil
}

// openAppendOnly opens the append-only file for writing after the load. last is the size of its
// last file.
func (f *fileSet) openAppendOnly(last int64) error {
	a := &f.aof
	err := a.place.MakeDir()
	if err != nil {
		return err
	}
	next := a.current.Clone()
	created := next.Empty()
	if created {
		entry, err := next.AddBase(a.place.Name, f.yes("aof-use-rdb-preamble"))
		if err != nil {
			return err
		}
		f.notice("Creating AOF base file %s on server start", entry.Name)
		if err := f.writeBase(entry.Name); err != nil {
			return err
		}
	}
	var file disk.File
	if n := len(next.Incr); n > 0 {
		f.notice("Opening AOF incr file %s on server start", next.Incr[n-1].Name)
		opened, err := f.fs.OpenAppend(a.place.Path(next.Incr[n-1].Name))
		if err != nil {
			return err
		}
		file = opened
		if last > 0 { // clients will see what was loaded, so it must be safe
			if err := file.Sync(); err != nil {
				return errors.Join(err, file.Close())
			}
		}
	} else {
		last = 0
		entry, err := next.AddIncr(a.place.Name)
		if err != nil {
			return err
		}
		f.notice("Creating AOF incr file %s on server start", entry.Name)
		if file, err = f.fs.Create(a.place.Path(entry.Name)); err != nil {
			return err
		}
	}
	if next.Equal(a.current) { // it may have been replaced a moment ago, by an engine that has failed then
		err = f.fs.SyncDir(a.place.Dir)
	} else {
		err = a.place.Replace(next)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if !f.yesDisableGC() {
		next = a.removeHistory(next)
	}
	a.current = next
	a.otherSize = a.sizeOf(next.Files()[:len(next.Files())-1])
	if created { // Redis counts it from the next start on
		a.otherSize = 0
	}
	a.w = aof.NewWriter(file, last, a.options())
	a.baseSize = a.size()
	a.receive()
	return nil
}

func (f *fileSet) yesDisableGC() bool { return f.yes("aof-disable-auto-gc") }

// writeBase writes the data set as a base file, in one go.
func (f *fileSet) writeBase(name string) error {
	file, err := f.fs.Create(f.aof.place.Path(name))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	err = rdbfile.Write(w, f.s.Store, f.writingBase())
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// usage returns what dumps say about accesses.
func (f *fileSet) usage() datastore.FileUsage {
	switch policy := f.s.Config.Value("maxmemory-policy"); {
	case strings.HasSuffix(policy, "lfu"):
		return datastore.UsageFreq
	case strings.HasSuffix(policy, "lru"):
		return datastore.UsageIdle
	}
	return datastore.UsageNone
}
