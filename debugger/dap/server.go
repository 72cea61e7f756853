package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/safelog"
	"github.com/redmoon-lua/redmoon/reply"
)

// Options of a server. The zero value works.
type Options struct {
	// Engine is the engine whose scripts clients attach to. Default: none. Clients then launch
	// scripts on engines of their own, or attach to another server by its address.
	Engine *engine.Engine
	// Token is the value that clients must give as the attribute token of a launch or attach
	// request. It keeps other users of the machine, who can connect to the port, from reading files
	// and running scripts. Default: no token is needed.
	Token string
	// Format formats a reply of a command or script for people. Default: a short form in one line.
	Format func(engine.Value) string
	// Logger receives errors of connections. Default: nothing is logged.
	Logger *slog.Logger
}

// Server serves clients of the Debug Adapter Protocol. Any goroutine may call its methods.
type Server struct {
	opts Options

	mu        sync.Mutex
	listeners map[net.Listener]bool
	stops     map[int]context.CancelFunc // ends each connection
	next      int
	closed    bool
	serving   sync.WaitGroup
}

// ErrClosed is returned by Serve and Listen after Close.
var ErrClosed = errors.New("dap: server is closed")

// NewServer returns a server. The caller must close the server first and o.Engine after it.
func NewServer(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	} else {
		o.Logger = safelog.New(o.Logger)
	}
	if o.Format == nil {
		o.Format = short
	}
	return &Server{opts: o, listeners: map[net.Listener]bool{}, stops: map[int]context.CancelFunc{}}
}

// Serve serves one client and blocks until the client disconnects or ctx ends. Then a script that
// the client has launched is aborted, and a script to which it has attached goes on. Serve closes
// in if in is an [io.Closer]. It returns an error if reading or writing has failed, and [ErrClosed]
// after [Server.Close].
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	id := s.next
	s.next++
	s.stops[id] = cancel
	s.serving.Add(1)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.stops, id)
		s.mu.Unlock()
		s.serving.Done()
	}()
	return newConn(ctx, s.opts, in, out).loop(ctx)
}

// Listen serves all clients that l accepts, each on a goroutine of its own, and blocks until
// [Server.Close] is called or ctx ends; then it returns [ErrClosed]. It returns another error if l
// fails. It always closes l. Before you listen, check the address with [CheckLoopback]: a client
// can run any command.
func (s *Server) Listen(ctx context.Context, l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.listeners[l] = true
	s.mu.Unlock()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		c, err := l.Accept()
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.listeners, l)
			if s.closed || ctx.Err() != nil {
				return ErrClosed
			}
			return err
		}
		go func() {
			defer c.Close()
			if err := s.Serve(ctx, c, c); err != nil && !errors.Is(err, ErrClosed) {
				s.opts.Logger.Warn("a debug adapter client was dropped", "addr", c.RemoteAddr(), "err", err)
			}
		}()
	}
}

// Close ends all connections and waits until their scripts are aborted or detached.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for l := range s.listeners {
		_ = l.Close()
	}
	for _, stop := range s.stops {
		stop()
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// CheckLoopback returns an error unless addr, a host:port to listen on, is a loopback address,
// which other machines cannot reach. A host name counts as the address to which it resolves.
func CheckLoopback(addr string) error {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	if !tcp.IP.IsLoopback() {
		return fmt.Errorf("%s can be reached from other machines, and a debugging client can run any command", addr)
	}
	return nil
}

// short formats a reply in one line.
func short(v engine.Value) string {
	switch v.Kind() {
	case reply.KindNil, reply.KindNilArray:
		return "(nil)"
	case reply.KindBulk:
		return fmt.Sprintf("%q", v.Text())
	case reply.KindArray, reply.KindSet, reply.KindMap, reply.KindPush:
		text := "["
		for i, e := range v.Slice() {
			if i > 0 {
				text += ", "
			}
			text += short(e)
		}
		return text + "]"
	}
	return v.Text()
}
