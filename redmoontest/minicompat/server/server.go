package server

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/resp"
)

// Cmd is a command of the test. cmd is its name in upper case. It must write exactly one reply.
type Cmd func(c *Peer, cmd string, args []string)

// Hook is called before each command, with its name in upper case. It returns true if it has
// written the reply; then the command does not run.
type Hook func(c *Peer, cmd string, args ...string) bool

// DisconnectHandler is a function that is called when a client has disconnected.
type DisconnectHandler func(c *Peer)

// CmdOption is an option of [Server.Register].
type CmdOption func(*command)

// ReadOnlyOption marks a command as read-only, for [Server.IsReadOnlyCommand].
func ReadOnlyOption() CmdOption { return func(c *command) { c.readOnly = true } }

// command is a command of the test.
type command struct {
	run      Cmd
	readOnly bool
}

// Backend is what a Server needs of the Miniredis that it belongs to.
type Backend struct {
	// Addr returns the address of the listener, or nil.
	Addr func() *net.TCPAddr
	// Serve serves a connection.
	Serve func(net.Conn)
	// Close stops listening and closes the connections.
	Close func()
	// Gate returns when commands of clients may run.
	Gate func()
	// Known reports whether the engine has a command, and whether it only reads.
	Known func(name string) (known, readOnly bool)
	// NeedsAuth reports whether clients must authenticate.
	NeedsAuth func() bool
	// Run runs a command that the engine has, but not as miniredis. It returns false for others.
	Run func(c *Peer, cmd string, args []string) bool
}

// Server is the side of a Miniredis that clients are connected to. Its methods may be called by
// several goroutines at the same time.
type Server struct {
	b Backend

	mu       sync.Mutex
	commands map[string]*command // by name in upper case
	hook     Hook

	conns, allConns, allCommands atomic.Int64
}

// New returns a server. Package minicompat calls it.
func New(b Backend) *Server { return &Server{b: b, commands: map[string]*command{}} }

// SetPreHook sets a function that is called before each command; nil removes it.
func (s *Server) SetPreHook(h Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = h
}

// preHook returns the function that SetPreHook has set, or nil.
func (s *Server) preHook() Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hook
}

// Register adds a command. It returns an error if there is one of this name already. As miniredis
// has fewer commands than an engine, only the names that miniredis knows count: any other command
// of the engine is replaced for clients, though not for scripts.
func (s *Server) Register(cmd string, f Cmd, options ...CmdOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.ToUpper(cmd)
	known, _ := s.b.Known(name)
	if s.commands[name] != nil || known && isMiniredis(name) {
		return fmt.Errorf("command already registered: %s", name)
	}
	c := &command{run: f}
	for _, o := range options {
		o(c)
	}
	s.commands[name] = c
	return nil
}

func (s *Server) command(name string) *command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands[name]
}

// IsRegisteredCommand reports whether a command exists, of the engine or of the test.
func (s *Server) IsRegisteredCommand(cmd string) bool {
	if s.command(strings.ToUpper(cmd)) != nil {
		return true
	}
	known, _ := s.b.Known(cmd)
	return known
}

// IsReadOnlyCommand reports whether a command exists and changes nothing.
func (s *Server) IsReadOnlyCommand(cmd string) bool {
	if c := s.command(strings.ToUpper(cmd)); c != nil {
		return c.readOnly
	}
	_, readOnly := s.b.Known(cmd)
	return readOnly
}

// Addr returns the address of the listener, or nil if there is none.
func (s *Server) Addr() *net.TCPAddr { return s.b.Addr() }

// ServeConn serves a connection. It returns immediately.
func (s *Server) ServeConn(conn net.Conn) { s.b.Serve(conn) }

// Close stops listening, closes all connections and waits for their end.
func (s *Server) Close() { s.b.Close() }

// ClientsLen returns the number of connected clients.
func (s *Server) ClientsLen() int { return int(s.conns.Load()) }

// TotalConnections returns the number of clients that have connected since the start, including
// those that are connected.
func (s *Server) TotalConnections() int { return int(s.allConns.Load()) }

// TotalCommands returns the number of known commands that clients have sent and scripts have called
// since the start.
func (s *Server) TotalCommands() int { return int(s.allCommands.Load()) }

// CountCommand adds a command that a script has called. Package minicompat calls it.
func (s *Server) CountCommand() { s.allCommands.Add(1) }

// Dispatch runs a command for a client and writes its reply to it: the hook, then a command of the
// test or of the engine. c must be the peer of the handler that calls it.
func (s *Server) Dispatch(c *Peer, args []string) {
	if !s.own(c, args) {
		c.Forward(args, "")
	}
}

// own runs the hook and the commands of the test. It returns false if the engine must run the
// command.
func (s *Server) own(c *Peer, args []string) bool {
	name := strings.ToUpper(args[0])
	if hook := s.preHook(); hook != nil && hook(c, name, args[1:]...) {
		return true
	}
	if cmd := s.command(name); cmd != nil {
		s.allCommands.Add(1)
		cmd.run(c, name, args[1:])
		return true
	}
	if known, _ := s.b.Known(name); known {
		s.allCommands.Add(1)
	}
	if s.b.NeedsAuth() && !c.authorized(name, args) {
		return true
	}
	return s.b.Run(c, name, args[1:])
}

// Intercept returns the interceptor of a new connection. Package minicompat calls it.
func (s *Server) Intercept(nc net.Conn) resp.Interceptor {
	s.conns.Add(1)
	s.allConns.Add(1)
	return &client{s: s, peer: newPeer(nc)}
}

// client is a connection.
type client struct {
	s    *Server
	peer *Peer
}

// Request implements [resp.Interceptor].
func (c *client) Request(x *resp.Exchange) (answered bool) {
	c.s.b.Gate()
	p := c.peer
	p.Resp3, p.exchange = x.Proto == 3, x
	answered = c.s.own(p, x.Args)
	p.exchange = nil
	p.Flush()
	if p.Closed() {
		x.CloseAfter()
	}
	return answered
}

// End implements [resp.Interceptor].
func (c *client) End() {
	c.s.conns.Add(-1)
	c.peer.disconnected()
}
