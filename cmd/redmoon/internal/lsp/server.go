package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/indentation"
)

// Options of a server.
type Options struct {
	Version  string           // of the program, for the client
	Logger   *slog.Logger     // required
	Indent   indentation.Flag // of formatted scripts; wins over .editorconfig and the client
	Debounce time.Duration    // how long the client must not type before a document is checked; 0: not at all
}

// state is where a server is in its life.
type state int32

const (
	waiting state = iota // for initialize
	running
	ending // shutdown was called
)

// server is the state of one connection.
type server struct {
	o    Options
	conn *jsonrpc2.Conn

	state  atomic.Int32
	client clientCapabilities // set by initialize, before any worker reads it
	utf8   bool
	clean  atomic.Bool // the client has called shutdown before exit
	exit   chan struct{}
	once   sync.Once

	documents documents
	projects  projects
	checker   checker

	jobs    chan job
	active  sync.WaitGroup // jobs without a reply
	working sync.WaitGroup // goroutines

	mu     sync.Mutex
	cancel map[jsonrpc2.ID]context.CancelFunc // of requests without a reply
}

const (
	workers   = 4
	queueSize = 128
)

// job is a request with the document that it is about.
type job struct {
	ctx  context.Context
	done context.CancelFunc
	req  *jsonrpc2.Request
	snap *snapshot
}

// Serve serves one client until it says exit, its stream ends, or ctx does. clean reports whether
// the client has called shutdown before that, so that the exit code should be 0. The error says
// why the stream cannot be read any more.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) (clean bool, err error) {
	s := &server{o: o, exit: make(chan struct{}), jobs: make(chan job, queueSize), cancel: map[jsonrpc2.ID]context.CancelFunc{}}
	s.documents.open = map[string]*snapshot{}
	s.projects.init()
	s.checker.init(s)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	framed := &remembering{stream: newStream(in, out)}
	ready := make(chan struct{})
	s.conn = jsonrpc2.NewConn(ctx, framed, handlerFunc(func(ctx context.Context, req *jsonrpc2.Request) {
		<-ready
		s.handle(ctx, req)
	}), jsonrpc2.SetLogger(slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)))
	close(ready)
	for range workers {
		s.working.Add(1)
		go s.work(ctx)
	}
	s.working.Add(1)
	go s.checker.run(ctx)
	select {
	case <-s.exit:
	case <-s.conn.DisconnectNotify():
		err = framed.problem()
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	_ = s.conn.Close()
	s.working.Wait()
	for len(s.jobs) > 0 {
		<-s.jobs
		s.active.Done()
	}
	return s.clean.Load(), err
}

// remembering is a stream that keeps the error with which it ended.
type remembering struct {
	*stream
	last atomic.Pointer[error]
}

// ReadObject implements jsonrpc2.ObjectStream.
func (r *remembering) ReadObject(v any) error {
	err := r.stream.ReadObject(v)
	if err != nil {
		r.last.CompareAndSwap(nil, &err)
	}
	return err
}

// problem returns the error with which the stream ended; nil if the client closed it.
func (r *remembering) problem() error {
	p := r.last.Load()
	if p == nil || errors.Is(*p, io.EOF) {
		return nil
	}
	return *p
}

type handlerFunc func(ctx context.Context, req *jsonrpc2.Request)

// Handle implements jsonrpc2.Handler.
func (f handlerFunc) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	f(ctx, req)
}

// handle handles a message on the goroutine of the reader.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) {
	if req.Notif {
		s.guard(req, func() { s.notified(ctx, req) })
		return
	}
	st := state(s.state.Load())
	switch {
	case req.Method == "initialize" && st == waiting:
		s.guard(req, func() { s.initialize(ctx, req) })
	case st == waiting:
		s.fail(ctx, req, &jsonrpc2.Error{Code: codeNotInitialized, Message: "the server waits for initialize"})
	case st == ending || req.Method == "initialize":
		s.fail(ctx, req, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: req.Method + " is not allowed now"})
	case req.Method == "shutdown":
		s.state.Store(int32(ending))
		s.finish(ctx)
		s.reply(ctx, req, nil)
	default:
		s.enqueue(ctx, req)
	}
}

// finish waits until the requests that came before have their replies.
func (s *server) finish(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.active.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// guard runs f and turns a panic into an error reply.
func (s *server) guard(req *jsonrpc2.Request, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.o.Logger.Error("panic", "method", req.Method, "value", r, "stack", string(debug.Stack()))
			if !req.Notif {
				s.fail(context.Background(), req, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprint("internal error: ", r)})
			}
		}
	}()
	f()
}

func (s *server) notified(ctx context.Context, req *jsonrpc2.Request) {
	if req.Method == "exit" {
		s.clean.Store(state(s.state.Load()) == ending)
		s.once.Do(func() { close(s.exit) })
		return
	}
	if state(s.state.Load()) == waiting {
		return
	}
	switch req.Method {
	case "initialized":
		s.watchFiles(ctx)
	case "$/cancelRequest":
		var p cancelParams
		var id jsonrpc2.ID
		if s.params(req, &p) && json.Unmarshal(p.ID, &id) == nil {
			s.mu.Lock()
			if cancel := s.cancel[id]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	case "textDocument/didOpen":
		var p openParams
		if s.params(req, &p) {
			s.opened(p)
		}
	case "textDocument/didChange":
		var p changeParams
		if s.params(req, &p) {
			s.changed(p)
		}
	case "textDocument/didSave":
		var p documentParams
		if s.params(req, &p) {
			s.saved(p.TextDocument.URI)
		}
	case "textDocument/didClose":
		var p documentParams
		if s.params(req, &p) {
			s.closed(p.TextDocument.URI)
		}
	case "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration":
		s.forget()
		s.checker.all()
	}
}

// params decodes the parameters of a notification. Malformed ones are logged.
func (s *server) params(req *jsonrpc2.Request, p any) bool {
	if err := decode(req, p); err != nil {
		s.o.Logger.Warn("malformed notification", "method", req.Method, "error", err)
		return false
	}
	return true
}

func decode(req *jsonrpc2.Request, p any) error {
	if req.Params == nil {
		return errors.New("no parameters")
	}
	return json.Unmarshal(*req.Params, p)
}

// enqueue gives a request to the workers.
func (s *server) enqueue(ctx context.Context, req *jsonrpc2.Request) {
	answer := requests[req.Method]
	if answer == nil {
		s.fail(ctx, req, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "method not found: " + req.Method})
		return
	}
	var p documentParams
	if err := decode(req, &p); err != nil {
		s.fail(ctx, req, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	}
	snap := s.documents.get(p.TextDocument.URI)
	if snap == nil {
		s.fail(ctx, req, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the document is not open: " + p.TextDocument.URI})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.cancel[req.ID] = cancel
	s.mu.Unlock()
	s.active.Add(1)
	select {
	case s.jobs <- job{ctx, cancel, req, snap}:
	case <-ctx.Done():
		s.active.Done()
	}
}

// work answers requests until the server ends.
func (s *server) work(ctx context.Context) {
	defer s.working.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-s.jobs:
			s.guard(j.req, func() { s.answer(j) })
			s.mu.Lock()
			delete(s.cancel, j.req.ID)
			s.mu.Unlock()
			j.done()
			s.active.Done()
		}
	}
}

func (s *server) answer(j job) {
	if j.ctx.Err() != nil {
		s.fail(context.Background(), j.req, &jsonrpc2.Error{Code: codeRequestCancelled, Message: "cancelled"})
		return
	}
	result, err := requests[j.req.Method](s, j)
	var known *jsonrpc2.Error
	switch {
	case j.ctx.Err() != nil:
		s.fail(context.Background(), j.req, &jsonrpc2.Error{Code: codeRequestCancelled, Message: "cancelled"})
	case errors.As(err, &known):
		s.fail(j.ctx, j.req, known)
	case err != nil:
		s.fail(j.ctx, j.req, &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()})
	default:
		s.reply(j.ctx, j.req, result)
	}
}

func (s *server) reply(ctx context.Context, req *jsonrpc2.Request, result any) {
	if err := s.conn.Reply(ctx, req.ID, result); err != nil {
		s.o.Logger.Debug("reply", "method", req.Method, "error", err)
	}
}

func (s *server) fail(ctx context.Context, req *jsonrpc2.Request, e *jsonrpc2.Error) {
	if err := s.conn.ReplyWithError(ctx, req.ID, e); err != nil {
		s.o.Logger.Debug("reply", "method", req.Method, "error", err)
	}
}
