package replication

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
)

// staging builds the keyspace of a copy, in parts between which the loop serves others. The keys
// are apart from the keyspace until enter.
type staging struct {
	next func() (struct{}, bool)
	stop func()

	part  []byte // what has arrived and has not been read
	over  bool   // nothing more arrives
	given int64  // bytes that have arrived

	file      *datastore.StagedFile
	loaded    rdbfile.Loaded
	libraries []string // source texts
	err       error
	ended     bool
}

// errMark is the error of a copy that goes on behind the end of its RDB file.
//
//lint:ignore ST1005 the words of Redis
var errMark = errors.New("Replication stream EOF marker is broken")

// errAborted is the error of a read of an aborted load.
var errAborted = errors.New("the load was aborted")

// newStaging begins to load a copy for the server.
func (st *State) newStaging() *staging {
	g := &staging{}
	store := st.srv.Store
	lfu := store.Limits().LFU
	o := datastore.FileLoadOptions{
		File:        st.srv.FileReading(),
		KeepExpired: true, Idle: !lfu, Freq: lfu,
		Aux: func(name, value string) error {
			g.loaded.Note(name, value)
			return nil
		},
		Function: func(text string) error { g.libraries = append(g.libraries, text); return nil },
	}
	g.next, g.stop = iter.Pull(func(yield func(struct{}) bool) {
		g.file, g.loaded.FileLoaded, g.err = store.StageFile(&partReader{g, yield}, o)
		g.ended = true
	})
	return g
}

// partReader gives the loader what has arrived. If there is nothing, the loader waits until the
// next part.
type partReader struct {
	g     *staging
	yield func(struct{}) bool
}

func (r *partReader) Read(p []byte) (int, error) {
	for len(r.g.part) == 0 {
		if r.g.over {
			return 0, io.EOF
		}
		if !r.yield(struct{}{}) {
			return 0, errAborted
		}
	}
	n := copy(p, r.g.part)
	r.g.part = r.g.part[n:]
	return n, nil
}

// feed loads the next part. The loader keeps nothing of it.
func (g *staging) feed(part []byte) error {
	g.part = part
	g.given += int64(len(part))
	if !g.ended {
		g.next()
	}
	if g.ended {
		return g.err // what follows the end is not read
	}
	return nil
}

// finish loads the rest after the last part.
func (g *staging) finish() error {
	g.over = true
	for !g.ended {
		g.next()
	}
	g.stop()
	return g.err
}

// abort forgets the keys.
func (g *staging) abort() {
	g.stop()
	g.file, g.ended, g.err = nil, true, errAborted
}

// partSize is the number of bytes that are loaded in one go.
const partSize = 64 << 10

// Load implements [link.Host].
func (f *follower) Load(s link.Sync, r io.Reader) error {
	mode := ""
	if err := f.do(func() error {
		f.sync = s
		mode = f.loadMode()
		f.logReceiving(s, mode)
		if !s.Marked && s.Size <= 0 {
			return link.ErrCut
		}
		return nil
	}); err != nil {
		return err
	}
	counted := &counter{f, r}
	if mode != loadToDisk {
		return f.loadFrom(counted, s, mode)
	}
	file, err := f.st.env.TempFile()
	if err != nil {
		f.st.srv.Log.Warn("Opening the temp file needed for MASTER <-> REPLICA synchronization: " + err.Error())
		return err
	}
	defer file.Close() // it is only read
	size, err := io.CopyBuffer(onlyWriter{file}, counted, make([]byte, partSize))
	if err != nil {
		return err
	}
	s.Size = size
	return f.loadFrom(io.NewSectionReader(file, 0, size), s, mode)
}

// The ways to load a copy.
const (
	loadToDisk  = "disk"  // through a file; the old data goes when the file is there
	loadDirect  = "empty" // there is no old data
	loadSwap    = "swap"  // the old data goes when the copy is loaded; LOADING until then
	loadServing = "async" // the same, and the old data is served until then
)

// loadMode returns how the copy is loaded.
func (f *follower) loadMode() string {
	st := f.st
	switch st.srv.Config.Value("repl-diskless-load") {
	case "swapdb":
		if f.sync.ID != "" && f.sync.ID == st.id {
			return loadServing
		}
		return loadSwap
	case "on-empty-db":
		for i := range st.srv.Store.Databases() {
			if st.srv.Store.DB(i).Len() > 0 {
				return loadToDisk
			}
		}
		return loadDirect
	}
	return loadToDisk
}

func (f *follower) logReceiving(s link.Sync, mode string) {
	where := "disk"
	if mode != loadToDisk {
		where = "parser"
	}
	if s.Marked {
		f.st.srv.Log.Info("MASTER <-> REPLICA sync: receiving streamed RDB from master with EOF to " + where)
		return
	}
	f.st.srv.Log.Info(fmt.Sprintf("MASTER <-> REPLICA sync: receiving %d bytes from master to %s", s.Size, where))
}

// loadFrom replaces the data of the server by the copy in r.
func (f *follower) loadFrom(r io.Reader, s link.Sync, mode string) error {
	st, log := f.st, f.st.srv.Log
	if err := f.do(func() error {
		if mode == loadToDisk || mode == loadDirect {
			log.Info("MASTER <-> REPLICA sync: Flushing old data")
			f.attach()
			st.srv.ReplaceData(true, nil)
			st.srv.Loading.CopyMissing = true
		}
		log.Info("MASTER <-> REPLICA sync: Loading DB in memory")
		st.srv.StartLoading(max(s.Size, 0), mode == loadServing)
		f.staged = st.newStaging()
		return nil
	}); err != nil {
		return err
	}
	err := f.feedAll(r, mode)
	if err == nil {
		err = f.enter(s, mode)
	}
	if err == nil || errors.Is(err, errStopped) {
		return err
	}
	_ = f.do(func() error {
		ended := f.staged != nil && f.staged.ended && f.staged.err == nil
		f.logLoadFailed(err, mode, ended)
		if f.staged != nil {
			f.staged.abort()
			f.staged = nil
		}
		st.srv.EndLoading() // what attach has stopped stays stopped, so that the files stay
		return nil
	})
	return errors.Join(link.ErrLogged, err)
}

// feedAll loads the parts of a copy.
func (f *follower) feedAll(r io.Reader, mode string) error {
	buf := make([]byte, partSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if err := f.do(func() error {
				if f.staged == nil {
					return errAborted
				}
				if f.staged.ended && mode != loadToDisk {
					return errMark
				}
				err := f.staged.feed(buf[:n])
				f.st.srv.Loading.Loaded = f.staged.given
				return err
			}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the link reports a cut otherwise
			return nil
		case err != nil:
			return err
		}
	}
}

// enter makes the copy the data of the server, and begins the session of the master.
func (f *follower) enter(s link.Sync, mode string) error {
	return f.do(func() error {
		st, g := f.st, f.staged
		if err := g.finish(); err != nil {
			return err
		}
		if err := st.env.ReplaceLibraries(g.libraries); err != nil {
			return err
		}
		f.staged = nil
		st.srv.EndLoading()
		f.logLoaded(g)
		swap := mode == loadSwap || mode == loadServing
		if swap {
			f.attach()
		}
		st.srv.ReplaceData(swap, func() { st.srv.EnterFile(g.file) })
		st.srv.Loading.CopyMissing = false
		if s.ID != "" {
			st.follow(s.ID, s.Offset)
		} else { // the master has no history
			st.follow("", -1)
		}
		st.open()
		f.begin(g.loaded.Replication.DB)
		if p := st.srv.Persistence; p != nil {
			p.Restart()
		}
		st.srv.Log.Info("MASTER <-> REPLICA sync: Finished with success")
		return nil
	})
}

// attach forgets the history of the server, because its data is about to be replaced.
func (f *follower) attach() {
	f.st.resumable = false
	f.st.dropReplicas()
	f.st.backlog = nil
	if p := f.st.srv.Persistence; p != nil {
		p.Stop()
	}
}

// counter counts what arrives of the copy.
type counter struct {
	f *follower
	r io.Reader
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.f.got.Add(int64(n))
	c.f.st.copied.Add(int64(n))
	c.f.gotAt.Store(c.f.st.env.Now().Unix())
	return n, err
}

// onlyWriter hides other methods of a writer from io.Copy.
type onlyWriter struct{ io.Writer }
