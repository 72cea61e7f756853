package recorder

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/resp"
)

// Options say what is recorded, and where to.
type Options struct {
	Listen    string      // host:port, or the path of a unix socket
	ListenTLS *tls.Config // nil: clients connect without TLS
	Target    string      // as backend.Connect takes it. User and password are for the recorder only.
	TLS       *tls.Config // for a target rediss://; nil: the certificates of the machine
	Path      string      // of the recording; a name that ends in .gz is compressed
	Force     bool        // replace files that exist
	MaxSize   int64       // bytes of the file; 0: no limit
	MaxReply  int64       // bytes of a reply that are recorded; of a longer one only size and hash; 0: all

	WithData bool     // copy the keys of the server before
	Match    []string // patterns of the keys to copy; none: all keys
	Scan     bool     // read the keys one by one
	// Progress is called while keys are copied, with the bytes received and their total, 0 if that is
	// not known. Optional.
	Progress func(done, total int64)

	Log func(text string) // gets what the user should know, a sentence. It may be called by any goroutine.
}

// flushEvery is how much of a recording may be lost when the process is killed.
const flushEvery = 200 * time.Millisecond

// hangUpAfter is how long the server may take to answer, and to close the connection, when its
// client is gone.
const hangUpAfter = 5 * time.Second

// Recorder is a running proxy. Make it with [Start] and end it with Stop.
type Recorder struct {
	o        Options
	w        *recording.Writer
	file     *os.File
	listener net.Listener
	started  time.Time
	stopping context.Context // done when Stop has been called
	stop     context.CancelFunc
	running  sync.WaitGroup
	count    counts

	mu     sync.Mutex
	conns  map[*connection]bool
	last   int64 // number of the last connection
	failed bool  // the recording has ended early, and the user knows
}

// Start asks the server about itself, copies its keys if that is wanted, creates the recording and
// listens. ctx bounds only this.
func Start(ctx context.Context, o Options) (*Recorder, error) {
	if _, err := os.Lstat(o.Path); err == nil && !o.Force {
		return nil, fmt.Errorf("%s exists; --force replaces it", o.Path)
	}
	if o.WithData && filepath.Clean(o.Path) == filepath.Clean(DataPath(o.Path)) {
		return nil, fmt.Errorf("the copy of the keys would have the name of the recording, %s; give --out another one", o.Path)
	}
	header, err := describe(ctx, &o)
	if err != nil {
		return nil, err
	}
	if o.WithData {
		if header.Data, err = copyData(ctx, &o); err != nil {
			return nil, fmt.Errorf("copying the keys: %w", err)
		}
	}
	listen := resp.Listen
	if o.ListenTLS != nil {
		listen = func(addr string) (net.Listener, error) { return resp.ListenTLS(addr, o.ListenTLS) }
	}
	l, err := listen(o.Listen)
	if err != nil {
		return nil, err
	}
	r := &Recorder{o: o, listener: l, conns: map[*connection]bool{}}
	r.count.init()
	if err := r.create(header); err != nil {
		_ = l.Close()
		return nil, err
	}
	r.stopping, r.stop = context.WithCancel(context.Background())
	r.running.Go(r.accept)
	r.running.Go(r.flush)
	return r, nil
}

// create creates the file. Only its owner may read it: it has what clients have sent.
func (r *Recorder) create(h recording.Header) error {
	mode := os.O_EXCL
	if r.o.Force {
		mode = os.O_TRUNC
	}
	f, err := os.OpenFile(r.o.Path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists; --force replaces it", r.o.Path)
	}
	if err != nil {
		return err
	}
	if err := f.Chmod(0o600); err != nil { // the file that is replaced may have another mode
		_ = f.Close()
		return err
	}
	r.file, r.started = f, time.Now()
	h.Started = r.started.UTC()
	r.w, err = recording.NewWriter(f, h, recording.WriterOptions{
		Gzip: strings.HasSuffix(r.o.Path, ".gz"), MaxSize: r.o.MaxSize,
		Elapsed: func() time.Duration { return time.Since(r.started) },
	})
	if err != nil {
		_ = f.Close()
	}
	return err
}

// Addr returns the address where clients connect.
func (r *Recorder) Addr() net.Addr { return r.listener.Addr() }

// accept serves clients until the listener is closed.
func (r *Recorder) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			if r.stopping.Err() == nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				r.o.Log("accepting a client: " + err.Error())
				select { // no file descriptors, for example
				case <-time.After(100 * time.Millisecond):
				case <-r.stopping.Done():
				}
				continue
			}
			return
		}
		r.mu.Lock()
		r.last++
		c := &connection{r: r, id: r.last, client: client}
		r.conns[c] = true
		r.mu.Unlock()
		r.running.Go(func() {
			c.serve()
			r.mu.Lock()
			delete(r.conns, c)
			r.mu.Unlock()
		})
	}
}

// flush brings the recording to the file again and again.
func (r *Recorder) flush() {
	ticks := time.NewTicker(flushEvery)
	defer ticks.Stop()
	for {
		select {
		case <-r.stopping.Done():
			return
		case <-ticks.C:
			r.check(r.w.Flush())
		}
	}
}

// check reports, once, that the recording has ended early.
func (r *Recorder) check(err error) {
	if err == nil && !r.w.Full() {
		return
	}
	r.mu.Lock()
	known := r.failed
	r.failed = true
	r.mu.Unlock()
	switch {
	case known:
	case err != nil:
		r.o.Log(fmt.Sprintf("the recording has ended: %v; the connections go on", err))
	default:
		r.o.Log(
			fmt.Sprintf(
				"the recording has ended: it has %d bytes; the connections go on",
				r.w.Size(),
			),
		)
	}
}

// Stop closes all connections and finishes the recording. The error is that of the file.
func (r *Recorder) Stop() (Summary, error) {
	r.stop()
	_ = r.listener.Close() // it may be closed already
	r.mu.Lock()
	for c := range r.conns {
		c.cut()
	}
	r.mu.Unlock()
	r.running.Wait()
	err := r.w.Finish(recording.Interrupted)
	if cerr := r.file.Close(); err == nil {
		err = cerr
	}
	s := r.count.summary()
	s.Duration, s.Bytes, s.Full = time.Since(r.started), r.w.Size(), r.w.Full()
	return s, err
}

// Status returns what has been recorded so far.
func (r *Recorder) Status() Summary {
	s := r.count.summary()
	s.Duration, s.Bytes = time.Since(r.started), r.w.Size()
	return s
}
