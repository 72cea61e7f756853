package resp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/safelog"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// DefaultAddr is the default of [Options].Addr.
const DefaultAddr = "127.0.0.1:6379"

// ErrServerClosed is returned by Serve and ListenAndServe after Close or Shutdown.
var ErrServerClosed = errors.New("resp: server is closed")

// Options configure a server. The zero value works.
type Options struct {
	// Addr is the address of ListenAndServe: host:port, or the path of a unix socket, which has a
	// slash or begins with "unix:". "" means [DefaultAddr].
	Addr string
	// MaxClients is the greatest number of open connections; further ones are refused with Redis's
	// error. 0 means the configuration parameter maxclients.
	MaxClients int
	// MaxOutput is the number of bytes of replies that may wait for one client before its next
	// commands wait too. 0 means 64 MiB.
	MaxOutput int
	// SlowTimeout is how long a client that has reached MaxOutput may read nothing before its
	// connection is closed. 0 means one minute.
	SlowTimeout time.Duration
	// Debug runs the next EVAL of a client after SCRIPT DEBUG YES or SYNC. It is called on a
	// goroutine of the connection, which is closed when Debug returns. If Debug is nil, SCRIPT
	// DEBUG returns an error.
	Debug func(*DebugConn)
	// Intercept returns an interceptor for a new connection, which must not be nil. If Intercept is
	// set, each connection has a goroutine, and each request travels alone, so pipelines are slower.
	// Default: no request is intercepted.
	Intercept func(net.Conn) Interceptor
	// Logger receives errors of connections and listeners. If it is nil, nothing is logged.
	Logger *slog.Logger
}

// door is what a server needs of an engine and users do not get.
type door = enginedoor.Engine[*engine.Engine, *engine.Session]

// Server serves an engine over RESP. Make it with [NewServer]. Its methods may be called by several
// goroutines at the same time.
type Server struct {
	opts Options
	open func(enginedoor.SessionInfo) (session, error)

	engine *engine.Engine // nil in tests
	door   door           // of engine
	limits func() *enginedoor.Limits
	// reports whether a command may change how the requests after it are parsed
	changesParsing func(name string) bool
	rejected       func() // called for each connection refused by MaxClients

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
	conns     map[net.Conn]struct{}
	wg        sync.WaitGroup // counts the connections and the poller
	poller    *poller        // nil until a listener needs it
	stopped   chan struct{}  // closed when the server is

	attackLogged atomic.Int64 // when logAttack last wrote, in nanoseconds; 0: never
}

// NewServer returns a server for e that does not listen yet. The caller keeps the engine and must
// close it after the server.
func NewServer(e *engine.Engine, o Options) *Server {
	d := enginedoor.Of(e)
	s := newServer(o, func(info enginedoor.SessionInfo) (session, error) {
		sess, err := d.OpenSession(info)
		if err != nil {
			return nil, err
		}
		return engineSession{enginedoor.Of(sess), sess}, nil
	})
	s.engine, s.door, s.limits, s.changesParsing, s.rejected = e, d, d.Limits, d.ChangesParsing, d.CountRejected
	return s
}

func newServer(o Options, open func(enginedoor.SessionInfo) (session, error)) *Server {
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
		o.Logger = slog.New(slog.DiscardHandler)
	} else {
		o.Logger = safelog.New(o.Logger)
	}
	plain := &enginedoor.Limits{MaxClients: 10000, MaxBulkLen: maxBulkLen, MaxQuery: 1 << 30, KeepAlive: 300}
	return &Server{opts: o, open: open, limits: func() *enginedoor.Limits { return plain },
		changesParsing: func(string) bool { return false }, rejected: func() {},
		conns: map[net.Conn]struct{}{}, stopped: make(chan struct{})}
}

// ListenAndServe listens on Options.Addr and serves until the server is closed. It always returns
// an error: that of Listen, or that of Serve.
func (s *Server) ListenAndServe() error {
	l, err := Listen(s.opts.Addr)
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// Listen opens a TCP listener on host:port, or a listener on a unix socket if addr has a slash or
// begins with "unix:". The path of a unix socket must not exist.
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
// error, which is [ErrServerClosed] after Close or Shutdown, and matches [net.ErrClosed] if l was
// closed. It may be called for several listeners at the same time. On Linux, requests on
// connections from TCP and unix listeners of package net are served in the order in which they
// arrive, across all connections.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.listeners = append(s.listeners, l)
	s.mu.Unlock()
	if s.opts.Intercept == nil {
		if ok, err := s.listening(l); ok {
			return err
		}
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
		default: // most likely no free descriptor: another connection must end first
			s.opts.Logger.Warn("resp: accept", "error", err)
			time.Sleep(acceptPause)
		}
	}
}

// acceptPause is the pause after a temporary error of a listener.
const acceptPause = 50 * time.Millisecond

func temporary(err error) bool {
	var ne interface{ Temporary() bool }
	return errors.As(err, &ne) && ne.Temporary()
}

// ServeConn serves a connection that the program has made itself, on a goroutine of its own, and
// returns immediately. It closes nc after [Server.Close], or if the limit of connections is
// reached.
func (s *Server) ServeConn(nc net.Conn) { s.accept(nc) }

// accept starts a connection, or refuses it.
func (s *Server) accept(nc net.Conn) {
	if !s.admit(nc) {
		return
	}
	var i Interceptor
	if s.opts.Intercept != nil {
		i = s.opts.Intercept(nc)
	}
	go s.handle(nc, i)
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
			_ = nc.Close() // as in Redis, no error text before the TLS handshake
		} else {
			turnAway(nc, "ERR max number of clients reached")
		}
		return false
	}
	s.conns[nc] = struct{}{}
	s.wg.Add(1)
	return true
}

// logAttack logs that a client has sent an HTTP request, once a minute at most.
func (s *Server) logAttack() {
	now, last := time.Now().UnixNano(), s.attackLogged.Load()
	if (last == 0 || now-last > int64(time.Minute)) && s.attackLogged.CompareAndSwap(last, now) {
		s.opts.Logger.Warn("Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. This is " +
			"likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance. Connection aborted.")
	}
}

// turnAway sends an error and closes the connection.
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

// patience is the time limit of turnAway, for the TLS handshake and for sending the error.
const patience = time.Second

// handle serves one connection on its own goroutine.
func (s *Server) handle(nc net.Conn, i Interceptor) {
	defer s.wg.Done()
	if i != nil {
		defer i.End()
	}
	defer s.forget(nc)
	c, err := s.connect(nc)
	if err != nil {
		return
	}
	defer c.sess.Close()
	c.intercept = i
	keepAlive(nc, s.limits().KeepAlive)
	c.serve()
	_ = nc.Close()
	c.box.end()
	c.output.drained.Wait()
	c.reportTraffic()
}

// connect makes a connection with a session. After an error nc must not be used.
func (s *Server) connect(nc net.Conn) (*connection, error) {
	c := &connection{nc: nc, limits: s.limits, changesParsing: s.changesParsing, in: newParser(), closes: s.isClosed, attacked: s.logAttack,
		room: int64(s.opts.MaxOutput), slow: s.opts.SlowTimeout, proto: 2, engine: s.engine, debugger: s.opts.Debug}
	c.memory.room.Store(readSize)
	c.output, c.box = newOutput(nc, s.opts.MaxOutput, s.opts.SlowTimeout), newOutbox(c)
	c.batch.StopAtBlock = true
	sess, err := s.open(enginedoor.SessionInfo{
		Addr: addrText(nc.RemoteAddr(), nc.LocalAddr()), LAddr: addrText(nc.LocalAddr(), nil), Descriptor: descriptorOf(nc),
		Kill: func() { _ = nc.Close() }, // the reader then ends with an error
		Use:  c.use, Receive: c.box.put, TakeOver: c.box.takeOver, Remote: isRemote(nc.RemoteAddr()), Debugs: s.opts.Debug != nil,
		Activity: c.activity,
	})
	if errors.Is(err, enginedoor.ErrRefused) {
		turnAway(nc, err.Error())
		return nil, err
	}
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		s.opts.Logger.Warn("resp: session", "error", err)
	}
	if err != nil {
		return nil, err
	}
	c.sess = sess
	return c, nil
}

// descriptorOf returns the number of the file descriptor of a connection, 0 if it has none.
func descriptorOf(nc net.Conn) (n int) {
	if secret, ok := nc.(*tls.Conn); ok {
		nc = secret.NetConn()
	}
	switch c := nc.(type) {
	case interface{ Descriptor() int }:
		return c.Descriptor()
	case syscall.Conn:
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { n = int(fd) })
		}
	}
	return n
}

func (s *Server) forget(nc net.Conn) {
	_ = nc.Close()
	s.mu.Lock()
	delete(s.conns, nc)
	s.mu.Unlock()
}

// keepAlive turns on TCP keep-alive probes: the first after the given seconds of silence, further
// ones at a third of that interval. 0 turns them off. Errors are ignored.
func keepAlive(nc net.Conn, seconds int64) {
	if secret, ok := nc.(*tls.Conn); ok {
		nc = secret.NetConn()
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: seconds > 0, Idle: time.Duration(seconds) * time.Second,
			Interval: time.Duration(max(1, seconds/3)) * time.Second, Count: 3})
	}
}

// isRemote reports whether an address is of another machine.
func isRemote(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// addrText returns an address as CLIENT LIST shows it; for the peer of a unix socket, the path that
// it connected to.
func addrText(a, local net.Addr) string {
	if a.Network() != "unix" {
		return a.String()
	}
	if local != nil {
		a = local
	}
	return a.String() + ":0"
}

// Addr returns the address of the first listener, or nil before [Server.Serve]. With the port 0 in
// Options.Addr it has the actual port.
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

// StopListening closes a listener that [Server.Serve] may be serving. The address is free when it
// returns; the connections that came from the listener stay open.
func (s *Server) StopListening(l net.Listener) error {
	s.mu.Lock()
	s.listeners = slices.DeleteFunc(s.listeners, func(other net.Listener) bool { return other == l })
	poller := s.poller
	s.mu.Unlock()
	if poller != nil {
		poller.stopListeningOn(l)
	}
	return l.Close()
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

// Close stops listening, closes all connections and waits until they have ended. If a command of a
// connection is running, Close waits for its end; its reply is lost. The error is always nil. A
// second call does the same.
func (s *Server) Close() error {
	s.stopListening(func(nc net.Conn) { _ = nc.Close() })
	s.wg.Wait()
	return nil
}

// Shutdown stops listening and waits until all connections have ended. Each connection sends the
// replies to the requests that it has received and is then closed; blocked commands are cancelled.
// If ctx ends first, Shutdown closes the remaining connections as Close does and returns the error
// of ctx.
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
