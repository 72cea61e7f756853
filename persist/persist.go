package persist

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
)

// Options say where the files are and what is written. The zero value loads the dump.rdb of
// the present directory, and writes one on SAVE and BGSAVE only.
type Options struct {
	// Dir is the directory of the files, the parameter dir. It is made if it does not exist. Default:
	// the parameter's value in engine.Options.ConfigFile, which must exist, or the present directory.
	Dir string
	// AppendOnly is the parameter appendonly. Default: false, or what engine.Options.Config says.
	AppendOnly bool
	// AppendFsync is the parameter appendfsync: "always", "everysec" (the default) or "no".
	AppendFsync string
	// Save is the parameter save, such as "3600 1 300 100": a dump is written after 3600 seconds if
	// there was 1 change, and after 300 seconds if there were 100. Default: none.
	Save string
	// Background makes engine.New return before the data set is loaded. Most commands are refused
	// with LOADING meanwhile. The program must call engine.Engine.AwaitLoad.
	Background bool
	// Failed is called, on a goroutine of its own, when a later load of the data set has failed half
	// way: DEBUG RELOAD of a damaged dump, or DEBUG LOADAOF. redis-server ends then. The engine
	// refuses everything and leaves the files as they are; the program should close it. Default: no
	// call. For the load at the start see engine.Engine.AwaitLoad.
	Failed func(err error)

	fs disk.FS // default: the machine's
}

// Files are the files of one engine: the value of engine.Options.Persistence. Make it with [New].
type Files struct {
	hinge
	set *fileSet
}

// hinge is how an engine gets at its files.
type hinge = enginedoor.Hinge[enginedoor.Files]

// New returns the files of an engine. It touches nothing on disk.
func New(o Options) *Files {
	set := &fileSet{o: o}
	return &Files{hinge: enginedoor.NewHinge[enginedoor.Files](set), set: set}
}

// fileSet implements [enginedoor.Files] and, once it is attached to an engine, server.Persistence.
type fileSet struct {
	o    Options
	fs   disk.FS
	host server.Host
	s    server.Control
	log  *slog.Logger
	dir  string // absolute
	lock *dirLock
	work *worker

	aof      appendFile
	rewrite  *rewrite // running; nil if none
	rewrites rewrites
	dumps    dumps
	stopTick func()
	ready    bool                // the data set has been loaded
	place    rdbfile.Replication // of the dump that was loaded last
	shut     bool                // Shutdown has written what had to be written
	closed   bool
}

// Background implements enginedoor.Files.
func (f *fileSet) Background() bool { return f.o.Background }

// Attach implements enginedoor.Files.
func (f *fileSet) Attach(h server.Host) (server.Persistence, error) {
	if f.fs != nil {
		return nil, fmt.Errorf("redmoon: the files of package persist belong to another engine already")
	}
	f.host, f.s, f.log = h, h.Server, h.Server.Log
	f.fs = f.o.fs
	if f.fs == nil {
		f.fs = disk.OS()
	}
	if err := f.configure(); err != nil {
		return nil, err
	}
	f.work = newWorker()
	if f.o.Dir != "" && f.o.fs == nil {
		if err := makeDir(f.fs, f.o.Dir); err != nil {
			return nil, fmt.Errorf("redmoon: option Persistence: %w", err)
		}
	}
	if err := f.enterDir(f.s.Config.Value("dir")); err != nil {
		return nil, fmt.Errorf("redmoon: option Persistence: %w", err)
	}
	f.s.Config.Fix("dir", f.dir)
	f.aof.init(f)
	f.dumps.init(f)
	f.watchConfig()
	return f, nil
}

// configure sets the parameters of the options.
func (f *fileSet) configure() error {
	set := map[string]string{}
	if f.o.Dir != "" {
		set["dir"] = f.o.Dir
	}
	if f.o.AppendOnly {
		set["appendonly"] = "yes"
	}
	if f.o.AppendFsync != "" {
		set["appendfsync"] = f.o.AppendFsync
	}
	if f.o.Save != "" {
		set["save"] = f.o.Save
	}
	for name, value := range set {
		if err := f.s.Config.Fix(name, value); err != nil {
			return fmt.Errorf("redmoon: option Persistence: %w", err)
		}
	}
	return nil
}

// makeDir makes a directory, and those above it, unless they exist. They survive a loss of power.
func makeDir(fs disk.FS, dir string) error {
	_, err := fs.Stat(dir)
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeDir(fs, parent); err != nil {
		return err
	}
	if err := fs.Mkdir(dir); err != nil {
		return err
	}
	return fs.SyncDir(parent)
}

// enterDir makes a directory the one of the files.
func (f *fileSet) enterDir(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if f.o.fs == nil {
		info, err := os.Stat(abs)
		if err == nil && !info.IsDir() {
			err = &os.PathError{Op: "chdir", Path: abs, Err: errNotDir}
		}
		if err != nil {
			return err
		}
		if f.dir != abs && !f.aof.on() { // the append-only file stays where it is, and so does the lock
			f.lock.release()
			f.lock = nil
		}
	}
	f.dir = abs
	return nil
}

// claim makes sure that no other engine writes files in the directory. It is called before the
// first file is written.
func (f *fileSet) claim() (err error) {
	if f.lock == nil && f.o.fs == nil {
		f.lock, err = lockDir(f.dir)
	}
	return err
}

// finalWait is how long the last save of an engine waits for another one, which has its files in
// the same directory, to end.
const finalWait = 10 * time.Second

// awaitClaim waits for the end of the engine that writes files in the directory, if there is one:
// both may have got the signal to end at the same time.
func (f *fileSet) awaitClaim(most time.Duration) {
	for end := time.Now().Add(most); errors.Is(f.claim(), ErrLocked) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func (f *fileSet) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fileSet) yes(param string) bool { return f.s.Config.Value(param) == "yes" }

// now returns the seconds of Unix time by the engine's clock.
func (f *fileSet) now() int64 { return f.host.Now().Unix() }

// since returns the time since t by the machine's clock in seconds, as log lines show it.
func since(t time.Time) string { return fmt.Sprintf("%.3f seconds", time.Since(t).Seconds()) }

func (f *fileSet) notice(format string, args ...any)  { f.log.Info(fmt.Sprintf(format, args...)) }
func (f *fileSet) warning(format string, args ...any) { f.log.Warn(fmt.Sprintf(format, args...)) }
