package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// LoadOptions say how [Engine.LoadRDB] loads a file. The zero value loads everything. The functions
// are called on the engine's own goroutine and must not call the engine ([ErrReentrant]).
type LoadOptions struct {
	// Replace replaces keys and function libraries that exist. Default: they are an error.
	Replace bool
	// Match lists patterns as KEYS takes them. A key is loaded if one of them matches its name.
	// Default: every key is loaded.
	Match []string
	// Filter chooses among the keys that Match accepts. Optional.
	Filter func(db int, key string) bool
	// Progress is called with the number of bytes read so far, about every 2 MiB. Optional.
	Progress func(read int64)
}

// LoadResult says what [Engine.LoadRDB] has done.
type LoadResult struct {
	Version   int      // of the file's format
	Bytes     int64    // size of the file
	Keys      int      // keys loaded
	Skipped   int      // keys left out by Match, by Filter or because another shard owns their slot
	Expired   int      // keys left out because their time to live has ended
	Empty     int      // keys left out because their value has no elements
	Libraries []string // names of the function libraries loaded, sorted
}

// LoadRDB adds the keys and function libraries of an RDB file, such as the dump.rdb of a
// redis-server, to those of the engine, in one atomic step. Other calls wait until r has been read
// to the end of the file. The load needs the memory of the loaded keys and, while it skips a key,
// of its value.
//
// Sessions that watch or wait for a loaded key are notified, and those that track keys are notified
// as by FLUSHALL. Keyspace notifications are not sent. maxmemory does not limit the load; keys are
// evicted when the next command needs memory.
//
// The version of the format may be that of Options.Compat or an earlier one. A library is skipped
// if the engine has one with the same text. An engine of a [Cluster] loads the keys whose slots it
// owns.
//
// After an error nothing has changed. The error is a [*datastore.FileError] for a damaged file; the
// error of ctx if ctx ends before the file has been read; [ErrClosed] if the engine is closed by
// then; [ErrReentrant]; or an error for a library that cannot be loaded, or a key or library that
// exists. If ctx ends while r waits for data, LoadRDB returns, and r must not be used until its
// Read has returned, too.
func (e *Engine) LoadRDB(ctx context.Context, r io.Reader, o LoadOptions) (LoadResult, error) {
	q := e.newRequest()
	q.kind = funcRequest
	var res LoadResult
	var err error
	exited := true
	q.fn = func() {
		e.onItsOwn(q, func() { // o has functions of the caller
			res, err = e.loadRDB(&loadSource{ctx: ctx, e: e, r: r}, &o)
			exited = false
		})
	}
	if rerr := e.roundTrip(ctx, q); rerr != nil {
		return LoadResult{}, rerr
	}
	e.freeRequest(q)
	if exited {
		runtime.Goexit() // as a function of o has done
	}
	return res, err
}

// LoadRDBFile is [Engine.LoadRDB] of the file at path, which errors name.
func (e *Engine) LoadRDBFile(ctx context.Context, path string, o LoadOptions) (LoadResult, error) {
	f, err := os.Open(path)
	if err != nil {
		return LoadResult{}, err
	}
	defer f.Close()
	res, err := e.LoadRDB(ctx, f, o)
	if err != nil {
		return res, fmt.Errorf("%s: %w", path, err)
	}
	return res, nil
}

// loadSource reads r until the caller gives up or the engine is closed, also while a Read of r does
// not return.
type loadSource struct {
	ctx  context.Context
	e    *Engine
	r    io.Reader
	err  error // why it has stopped
	buf  []byte
	left []byte // read, and not taken yet
	end  error  // what r has returned after left
}

// pieceRead is what one Read of r has returned.
type pieceRead struct {
	n        int
	err      error
	panicked any
	returned bool // it has neither panicked nor called runtime.Goexit
}

// lookForClose is how often a Read that waits looks whether the engine has been closed.
const lookForClose = 20 * time.Millisecond

func (l *loadSource) Read(p []byte) (int, error) {
	for {
		if l.err == nil {
			l.err = l.stop()
		}
		switch {
		case l.err != nil:
			return 0, l.err
		case len(l.left) > 0:
			n := copy(p, l.left)
			l.left = l.left[n:]
			return n, nil
		case l.end != nil:
			return 0, l.end
		}
		l.next()
	}
}

// next waits for the next piece of r, which is read on another goroutine, unless stop says that
// nobody wants it. That goroutine may go on then: what it reads is lost.
func (l *loadSource) next() {
	if l.buf == nil {
		l.buf = make([]byte, 64<<10)
	}
	loading, done, buf := l.e.self.Load(), make(chan pieceRead, 1), l.buf
	go func() {
		var got pieceRead
		defer func() { done <- got }()
		defer func() { got.panicked = recover() }()
		l.e.self.CompareAndSwap(loading, goroutine.Self()) // calls of the engine by r are refused
		got.n, got.err = l.r.Read(buf)
		got.returned = true
	}()
	look := time.NewTicker(lookForClose)
	defer look.Stop()
	for {
		select {
		case got := <-done:
			l.e.self.Store(loading)
			switch {
			case got.panicked != nil:
				panic(got.panicked)
			case !got.returned:
				runtime.Goexit()
			}
			l.left, l.end = buf[:got.n], got.err
			return
		case <-l.ctx.Done():
		case <-look.C:
		}
		if l.err = l.stop(); l.err != nil {
			l.e.self.Store(loading)
			return
		}
	}
}

// stop returns an error if the load must end.
func (l *loadSource) stop() error {
	if l.e.closed.Load() {
		return ErrClosed
	}
	return l.ctx.Err()
}

// loadRDB is LoadRDB on the loop.
func (e *Engine) loadRDB(src *loadSource, o *LoadOptions) (LoadResult, error) {
	s, libraries := e.server, stagedLibraries{newRegistry(), newRegistry()}
	lfu := s.Store.Limits().LFU
	load := datastore.FileLoadOptions{
		File: s.FileReading(),
		Idle: !lfu, Freq: lfu,
		Filter:   e.loadFilter(o),
		Function: func(text string) error { return libraries.add(e.functions, text, src.stop) },
	}
	if o.Progress != nil {
		load.Progress = func(read int64) error { o.Progress(read); return nil }
	}
	staged, done, err := s.Store.StageFile(src, load)
	if src.err != nil {
		err = src.err
	}
	if err != nil {
		return LoadResult{}, err
	}
	if err := e.mayEnter(staged, o.Replace); err != nil {
		return LoadResult{}, err
	}
	policy := server.RestoreAppend
	if o.Replace {
		policy = server.RestoreReplace
	}
	fresh := libraries.fresh
	functions, errv := e.functions.merge(fresh, policy)
	if errv.IsError() {
		return LoadResult{}, fmt.Errorf("redmoon: load: %w", errv.Err())
	}
	if len(fresh.libraries) > 0 {
		e.functions.registry = functions
		s.Store.DB(0).AddDirty(int64(len(fresh.libraries)))
	}
	if done.Keys > 0 {
		s.EnterFile(staged)
	}
	return LoadResult{
		Version: done.Version, Bytes: done.Bytes, Keys: done.Keys, Skipped: done.Skipped, Expired: done.Expired,
		Empty: done.Empty, Libraries: fresh.names(),
	}, nil
}

// mayEnter returns an error if the keys of a file cannot be put into the keyspace.
func (e *Engine) mayEnter(staged *datastore.StagedFile, replace bool) error {
	if e.server.Cluster != nil {
		for db := 1; db < e.server.Store.Databases(); db++ {
			if staged.Len(db) > 0 {
				return fmt.Errorf("redmoon: load: the file has keys of database %d, and a cluster has only database 0", db)
			}
		}
	}
	if replace {
		return nil
	}
	if db, key, found := staged.Conflict(); found {
		return fmt.Errorf("redmoon: load: key %.200q of database %d exists", key, db)
	}
	return nil
}

// loadFilter returns the function that chooses the keys to load; nil if all are.
func (e *Engine) loadFilter(o *LoadOptions) func(db int, key string) bool {
	if len(o.Match) == 0 && o.Filter == nil && e.shard == nil {
		return nil
	}
	return func(db int, key string) bool {
		if e.shard != nil {
			if slot := Slot(key); slot < e.shard.first || slot > e.shard.last {
				return false
			}
		}
		return matchesAny(o.Match, key) && (o.Filter == nil || o.Filter(db, key))
	}
}

// matchesAny reports whether a pattern matches key, or there are no patterns.
func matchesAny(patterns []string, key string) bool {
	for _, p := range patterns {
		if p == "*" || glob.Match(p, key, false) {
			return true
		}
	}
	return len(patterns) == 0
}

// stagedLibraries are the libraries of a file.
type stagedLibraries struct {
	fresh registry // compiled and run
	same  registry // the engine has them with the same text
}

// add compiles and runs the text of a library of a file, unless f has one with the same text.
func (l *stagedLibraries) add(f *functions, text string, stop func() error) error {
	for _, lib := range f.libraries {
		if lib.Source == text && l.fresh.libraries[lib.Name] == nil && l.same.libraries[lib.Name] == nil {
			l.same.add(lib)
			return nil
		}
	}
	err := l.fresh.addNew(text, f.e.firstLine(), func(lib *luabridge.Library) error {
		if l.same.libraries[lib.Name] != nil {
			return libraryExists(lib.Name).Err()
		}
		return f.load(lib, f.e.compileLimits(stop))
	})
	if err != nil {
		return fmt.Errorf("redmoon: load a function library: %w", err)
	}
	return nil
}
