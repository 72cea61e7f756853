package resp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// DefaultAddr is where a server listens when Options name no address.
const DefaultAddr = "127.0.0.1:6379"

// ErrServerClosed is returned by Serve and ListenAndServe after Close or Shutdown.
var ErrServerClosed = errors.New("resp: server is closed")

// Options of a server. The zero value works.
type Options struct {
	// Addr is where ListenAndServe listens: host:port, or the path of a unix socket, which has a
	// slash or begins with "unix:". Default [DefaultAddr].
	Addr string
	// MaxClients is how many connections may be open; further ones are refused as Redis refuses
	// them. Default: what the parameter maxclients says.
	MaxClients int
	// MaxOutput is how many bytes of replies may wait for one client before its next commands wait as
	// well. Default 64 MiB.
	MaxOutput int
	// SlowTimeout is how long a client that has reached MaxOutput may read nothing before
	// its connection is closed. Default one minute.
	SlowTimeout time.Duration
	// Debug is what SCRIPT DEBUG YES and SYNC hand a client's next EVAL to. It is called on the connection's goroutine, and when it returns the
	// connection is closed. Nil: SCRIPT DEBUG is refused.
	Debug func(*DebugConn)
	// Logger receives what goes wrong with connections. Default: nothing is logged.
	Logger *slog.Logger
}

// Server serves an engine over RESP. Make it with [NewServer]; it may be used from any number of goroutines.
type Server struct {
	opts Options
	open func(engine.SessionInfo) (session, error)

	engine   *engine.Engine // nil in tests
	limits   func() *engine.Limits
	rejected func() // called when there are too many connections

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
	conns     map[net.Conn]struct{}
	wg        sync.WaitGroup // one for each connection and one for the poller
	poller    *poller        // nil until a listener needs it
	stopped   chan struct{}  // closed when the server is
}

// NewServer returns a server for e that does not listen yet. The engine stays the caller's: it is closed
// after the server.
func NewServer(e *engine.Engine, o Options) *Server {
	s := newServer(o, func(info engine.SessionInfo) (session, error) { return e.OpenSession(info) })
	s.engine, s.limits, s.rejected = e, e.Limits, e.CountRejected
	return s
}

func newServer(o Options, open func(engine.SessionInfo) (session, error)) *Server {
	if o.Addr == "" {
		o.Addr = DefaultAddr
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 64 << 20
	}
	if o.SlowTimeout <= 0 {
		o.SlowTimeout = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	}
	plain := &engine.Limits{MaxClients: 10000, MaxBulkLen: maxBulkLen, MaxQuery: 1 << 30, KeepAlive: 300}
	return &Server{opts: o, open: open, limits: func() *engine.Limits { return plain }, rejected: func() {}, conns: map[net.Conn]struct{}{},
		stopped: make(chan struct{})}
}

// ListenAndServe listens on Options.Addr and serves until the server is closed.
func (s *Server) ListenAndServe() error {
	l, err := Listen(s.opts.Addr)
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// Listen opens a listener on host:port, or on a unix socket where addr has a slash or begins
// with "unix:".
func Listen(addr string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return net.Listen("unix", path)
	}
	if strings.Contains(addr, "/") {
		return net.Listen("unix", addr)
	}
	return net.Listen("tcp", addr)
}

// Serve accepts connections from l until the server is closed, and closes l. It always returns an
// error, which is [ErrServerClosed] after Close or Shutdown. It may be called for several listeners at
// once. On Linux, requests on connections from TCP and unix listeners of package net are served in the
// order in which they arrive, across all connections.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.listeners = append(s.listeners, l)
	s.mu.Unlock()
	if ok, err := s.listening(l); ok {
		return err
	}
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			s.accept(nc)
		case s.isClosed():
			return ErrServerClosed
		case !temporary(err):
			return err
		default: // no file descriptors, most likely: some other connection must end first
			s.opts.Logger.Warn("resp: accept", "error", err)
			time.Sleep(acceptPause)
		}
	}
}

// acceptPause is how long a listener rests after an error that may pass.
const acceptPause = 50 * time.Millisecond

func temporary(err error) bool {
	var ne interface{ Temporary() bool }
	return errors.As(err, &ne) && ne.Temporary()
}

// accept starts a connection, or refuses it.
func (s *Server) accept(nc net.Conn) {
	if s.admit(nc) {
		go s.handle(nc)
	}
}

// admit adds a connection to the list, or refuses and closes it.
func (s *Server) admit(nc net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = nc.Close()
		return false
	}
	limit := int64(s.opts.MaxClients)
	if limit <= 0 {
		limit = s.limits().MaxClients
	}
	if int64(len(s.conns)) >= limit {
		s.rejected()
		if _, secret := nc.(*tls.Conn); secret {
			_ = nc.Close() // hands have not been shaken: no text, as with Redis
		} else {
			turnAway(nc, "ERR max number of clients reached")
		}
		return false
	}
	s.conns[nc] = struct{}{}
	s.wg.Add(1)
	return true
}

// turnAway closes a connection with an error.
func turnAway(nc net.Conn, text string) {
	line := []byte("-" + text + "\r\n")
	if c, ok := nc.(tryWriter); ok {
		_, _ = c.TryWrite(line)
	} else {
		_ = nc.SetDeadline(time.Now().Add(patience))
		_, _ = nc.Write(line)
	}
	_ = nc.Close()
}

// patience is how long a client that is turned away may take to read why, and to shake hands before that.
const patience = time.Second

// handle is the life of one connection.
func (s *Server) handle(nc net.Conn) {
	defer s.wg.Done()
	defer s.forget(nc)
	c, err := s.connect(nc)
	if err != nil {
		return
	}
	defer c.sess.Close()
	keepAlive(nc, s.limits().KeepAlive)
	c.serve()
	_ = nc.Close()
	c.box.end()
	c.output.drained.Wait()
	c.account()
}

// connect makes a connection with a session. After an error nc must not be used.
func (s *Server) connect(nc net.Conn) (*connection, error) {
	c := &connection{nc: nc, limits: s.limits, in: newParser(), closes: s.isClosed, room: int64(s.opts.MaxOutput), slow: s.opts.SlowTimeout,
		engine: s.engine, debugger: s.opts.Debug}
	c.held.room.Store(readSize)
	c.output, c.box = newOutput(nc, s.opts.MaxOutput, s.opts.SlowTimeout), newOutbox(c)
	c.batch.StopAtBlock = true
	sess, err := s.open(engine.SessionInfo{
		Addr: addrText(nc.RemoteAddr(), nc.LocalAddr()), LAddr: addrText(nc.LocalAddr(), nil),
		Kill: func() { _ = nc.Close() }, // the reader then ends with an error
		Use:  c.use, Receive: c.box.put, Remote: isRemote(nc.RemoteAddr()), Debugs: s.opts.Debug != nil,
		Activity: c.activity,
	})
	if errors.Is(err, engine.ErrRefused) {
		turnAway(nc, err.Error())
		return nil, err
	}
	if err != nil {
		s.opts.Logger.Warn("resp: session", "error", err)
		return nil, err
	}
	c.sess = sess
	return c, nil
}

func (s *Server) forget(nc net.Conn) {
	_ = nc.Close()
	s.mu.Lock()
	delete(s.conns, nc)
	s.mu.Unlock()
}

// keepAlive sets how an idle connection is probed: after so many seconds, then three times as often. 0 turns it off. What cannot be set
// stays as it is.
func keepAlive(nc net.Conn, seconds int64) {
	if secret, ok := nc.(*tls.Conn); ok {
		nc = secret.NetConn()
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: seconds > 0, Idle: time.Duration(seconds) * time.Second,
			Interval: time.Duration(max(1, seconds/3)) * time.Second, Count: 3})
	}
}

// isRemote reports whether an address is not of this machine.
func isRemote(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// addrText is an address as CLIENT LIST shows it; a unix socket's peer is shown by the path it connected to.
func addrText(a, local net.Addr) string {
	if a.Network() != "unix" {
		return a.String()
	}
	if local != nil {
		a = local
	}
	return a.String() + ":0"
}

// Addr is the address of the first listener, or nil before Serve.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) == 0 {
		return nil
	}
	return s.listeners[0].Addr()
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// stopListening closes the listeners and calls f for each open connection.
func (s *Server) stopListening(f func(net.Conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		for _, l := range s.listeners {
			_ = l.Close()
		}
		close(s.stopped)
		if s.poller != nil {
			s.poller.stopListening()
		}
	}
	for nc := range s.conns {
		f(nc)
	}
}

// Close stops listening, closes all connections and returns when they have ended. A command
// that is being run is waited for; its reply is lost.
func (s *Server) Close() error {
	s.stopListening(func(nc net.Conn) { _ = nc.Close() })
	s.wg.Wait()
	return nil
}

// Shutdown stops listening, lets every connection send the replies to what it has received, and closes it; commands that
// wait are not waited for. When
// ctx ends first, the rest is closed as by Close, and ctx's error is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopListening(func(nc net.Conn) { _ = nc.SetReadDeadline(time.Unix(1, 0)) })
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.stopListening(func(nc net.Conn) { _ = nc.Close() })
		<-done
		return ctx.Err()
	}
}
