package listen

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
)

// Config says where to listen.
type Config struct {
	Bind    string // as the parameter bind
	Port    int    // 0: no TCP, or a free port if Free is set
	Free    bool
	TLSPort int // 0: no TLS, or a free port if FreeTLS is set
	FreeTLS bool
	NeedTLS bool        // the files of TLS must be valid even if it has no port
	Unix    string      // path of a unix socket; "": none
	Perm    os.FileMode // of the unix socket; 0: as the umask leaves it
	Backlog int         // of each listener; 0: the system's
	Mark    int         // SO_MARK of the listeners; 0: none. Linux only.
	// TLS reads the files of TLS. The error has been logged.
	TLS func() (*tls.Config, error)
}

// Set is the listeners of a server. It is safe for concurrent use.
type Set struct {
	log    *slog.Logger
	secure atomic.Pointer[tls.Config] // for new connections over TLS

	mu                     sync.Mutex
	config                 Config
	plain, encrypted, unix []net.Listener

	// serve starts to serve a listener; stop closes one that is served, so that its address is free.
	// Until Run has been called, serve does nothing and stop only closes.
	serve func(net.Listener)
	stop  func(net.Listener)
}

// New returns a set without listeners.
func New(config Config, log *slog.Logger) *Set {
	return &Set{config: config, log: log, serve: func(net.Listener) {}, stop: func(l net.Listener) { _ = l.Close() }}
}

// ErrListen is returned when a listener cannot be opened. The reason is in the log.
//
//lint:ignore ST1005 the words of Redis
var ErrListen = errors.New("Unable to listen on this port. Check server logs.")

// ErrTLS is returned when the files of TLS cannot be used. The reason is in the log.
//
//lint:ignore ST1005 the words of Redis
var ErrTLS = errors.New("Unable to update TLS configuration. Check server logs.")

// ErrBind is returned when the addresses cannot be bound. The reason is in the log.
//
//lint:ignore ST1005 the words of Redis
var ErrBind = errors.New("Failed to bind to specified addresses.")

// Open opens all listeners. After an error, which it has logged, none is open.
func (s *Set) Open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	c := &s.config
	if c.TLSPort != 0 || c.FreeTLS || c.NeedTLS {
		if err := s.readTLS(); err != nil {
			s.log.Warn("Failed to configure TLS. Check logs for more info.")
			return err
		}
	}
	if c.Port != 0 || c.Free {
		if s.plain, err = s.tcp(c.Bind, c.Port); err != nil {
			s.log.Warn(fmt.Sprintf("Failed listening on port %d (TCP), aborting.", c.Port))
			return ErrListen
		}
		c.Port = portOf(s.plain, c.Port)
	}
	if c.TLSPort != 0 || c.FreeTLS {
		if s.encrypted, err = s.tls(); err != nil {
			s.log.Warn(fmt.Sprintf("Failed listening on port %d (TLS), aborting.", c.TLSPort))
			return ErrListen
		}
		c.TLSPort = portOf(s.encrypted, c.TLSPort)
	}
	if c.Unix != "" {
		if err := s.listenUnix(); err != nil {
			s.log.Warn("Failed opening Unix socket: " + reason(err))
			return err
		}
	}
	if len(s.all()) == 0 {
		s.log.Warn("Configured to not listen anywhere, exiting.")
		return ErrListen
	}
	return nil
}

func portOf(all []net.Listener, port int) int {
	if len(all) == 0 {
		return port
	}
	return all[0].Addr().(*net.TCPAddr).Port
}

// Run serves all listeners, and from now on those that replace them.
func (s *Set) Run(serve, stop func(net.Listener)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve, s.stop = serve, stop
	for _, l := range s.all() {
		serve(l)
	}
}

// All returns the listeners: TCP, TLS and the unix socket.
func (s *Set) All() []net.Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all()
}

// all is All. Caller must hold mu.
func (s *Set) all() []net.Listener {
	var all []net.Listener
	for _, part := range [][]net.Listener{s.plain, s.encrypted, s.unix} {
		all = append(all, part...)
	}
	return all
}

// Config returns the configuration with the ports that were found free.
func (s *Set) Config() Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config
}

// Close closes all listeners. The unix socket vanishes.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

// close is Close. Caller must hold mu.
func (s *Set) close() {
	for _, l := range s.all() {
		s.stop(l)
	}
	s.plain, s.encrypted, s.unix = nil, nil, nil
}

// SetPort listens for TCP on another port, at the addresses that bind names. Connections stay open.
// After an error nothing has changed.
func (s *Set) SetPort(port int, bind string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if port == s.config.Port && bind == s.config.Bind && (port == 0 || len(s.plain) > 0) {
		return nil
	}
	var opened []net.Listener
	if port != 0 {
		var err error
		if opened, err = s.tcp(bind, port); err != nil {
			return ErrListen
		}
	}
	s.config.Port = port
	s.plain = s.replace(s.plain, opened)
	return nil
}

// SetTLSPort listens for TLS on another port. Connections stay open.
func (s *Set) SetTLSPort(port int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.config.TLSPort
	if port != 0 && s.secure.Load() == nil {
		if err := s.readTLS(); err != nil {
			return err
		}
	}
	s.config.TLSPort = port
	var opened []net.Listener
	if port != 0 {
		var err error
		if opened, err = s.tls(); err != nil {
			s.config.TLSPort = old
			return ErrListen
		}
	}
	s.encrypted = s.replace(s.encrypted, opened)
	return nil
}

// SetBind listens on other addresses, with the same ports. The old addresses are given up first,
// because the new ones may overlap with them. After an error the server listens nowhere until
// SetBind is called again with the old value.
func (s *Set) SetBind(bind string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Bind = bind
	s.plain, s.encrypted = s.replace(s.plain, nil), s.replace(s.encrypted, nil)
	var plain, encrypted []net.Listener
	var err error
	if s.config.Port != 0 {
		plain, err = s.tcp(bind, s.config.Port)
	}
	if s.config.TLSPort != 0 && err == nil {
		encrypted, err = s.tls()
	}
	if err != nil {
		closeAll(plain)
		s.log.Warn("Failed to bind")
		return ErrBind
	}
	s.plain, s.encrypted = s.replace(nil, plain), s.replace(nil, encrypted)
	return nil
}

// replace serves new listeners and closes the old ones.
func (s *Set) replace(old, opened []net.Listener) []net.Listener {
	for _, l := range opened {
		s.serve(l)
	}
	for _, l := range old {
		s.stop(l)
	}
	return opened
}

// ReadTLS reads the files of TLS, for new connections.
func (s *Set) ReadTLS() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readTLS()
}

// readTLS is ReadTLS. Caller must hold mu.
func (s *Set) readTLS() error {
	config, err := s.config.TLS()
	if err != nil {
		return ErrTLS
	}
	s.secure.Store(config)
	return nil
}

// tls opens listeners for TLS.
func (s *Set) tls() ([]net.Listener, error) {
	all, err := s.tcp(s.config.Bind, s.config.TLSPort)
	config := &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.secure.Load(), nil }}
	for i, l := range all {
		all[i] = tls.NewListener(l, config)
	}
	return all, err
}

// listenUnix opens the unix socket. What is at its path is removed first.
func (s *Set) listenUnix() error {
	if info, err := os.Lstat(s.config.Unix); err == nil && !info.IsDir() {
		_ = os.Remove(s.config.Unix) // net.Listen reports what matters
	}
	l, err := net.Listen("unix", s.config.Unix)
	if err != nil {
		return err
	}
	setBacklog(l, s.config.Backlog)
	s.unix = []net.Listener{l}
	if s.config.Perm == 0 {
		return nil
	}
	return os.Chmod(s.config.Unix, s.config.Perm)
}
