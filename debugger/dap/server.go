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
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Options of a server. The zero value works.
type Options struct {
	// Engine is what clients attach to. Nil: they launch scripts on engines of their own, and attach to a server that has one, by its address.
	Engine *engine.Engine
	// Token is the value that clients must give as the attribute token of a launch or attach
	// request. It keeps other users of the machine, who can connect to the port, from reading files
	// and running scripts. Default: no token is needed.
	Token string
	// Format is a reply of a command or script as people read it. Default: a short form of it in one line.
	Format func(engine.Value) string
	// Logger receives what goes wrong with connections. Default: nothing is logged.
	Logger *slog.Logger
}

// Server serves debug adapter clients. Its methods may be called by any goroutine.
type Server struct {
	opts Options

	mu        sync.Mutex
	listeners map[net.Listener]bool
	stops     map[int]context.CancelFunc // of the connections
	next      int
	closed    bool
	serving   sync.WaitGroup
}

// ErrClosed is returned by Serve and Listen after Close.
var ErrClosed = errors.New("dap: server is closed")

// NewServer returns a server. The engine stays the caller's: it is closed after the server.
func NewServer(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Format == nil {
		o.Format = short
	}
	return &Server{opts: o, listeners: map[net.Listener]bool{}, stops: map[int]context.CancelFunc{}}
}

// Serve serves one client until it disconnects or goes away, or ctx ends; then a script that it has launched is ended, and one that it has attached to goes on. in is closed
// if it can be. The error tells what was wrong with what was read or written.
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

// Listen serves all clients that l accepts, each by itself, until Close or until ctx ends; it closes l.
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

// Close ends all connections, and waits until what they debugged is free.
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

// CheckAddress says whether an address to listen on is one that only this machine reaches. A host that is a name counts as what it resolves to.
func CheckAddress(addr string) error {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	if !tcp.IP.IsLoopback() {
		return fmt.Errorf("%s can be reached from other machines, and who debugs may run any command", addr)
	}
	return nil
}

// short is a reply in one line.
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
