package miniredis

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// listening is where a server listens.
type listening struct {
	addr *net.TCPAddr   // of the running server or, for the next start, of the last one; nil: none
	wg   sync.WaitGroup // counts the listeners
}

// RunTLS is [Run] with TLS.
func RunTLS(cfg *tls.Config) (*Miniredis, error) {
	m := NewMiniRedis()
	return m, m.StartTLS(cfg)
}

// Start listens on the loopback interface: on a free port, or on that of the last start.
func (m *Miniredis) Start() error { return m.StartAddr(m.lastAddr()) }

// StartTLS is [Miniredis.Start] with TLS.
func (m *Miniredis) StartTLS(cfg *tls.Config) error { return m.StartAddrTLS(m.lastAddr(), cfg) }

// lastAddr is where Start listens.
func (m *Miniredis) lastAddr() string {
	m.tested.Lock()
	defer m.tested.Unlock()
	port := 0
	if m.listening.addr != nil {
		port = m.listening.addr.Port
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// StartAddr listens on an address, for example "127.0.0.1:6379" or "127.0.0.1:0".
func (m *Miniredis) StartAddr(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return m.start(l, l.Addr())
}

// StartAddrTLS is [Miniredis.StartAddr] with TLS.
func (m *Miniredis) StartAddrTLS(addr string, cfg *tls.Config) error {
	l, err := tls.Listen("tcp", addr, cfg)
	if err != nil {
		return err
	}
	return m.start(l, l.Addr())
}

// start starts the server on a listener, or without one if l is nil.
func (m *Miniredis) start(l net.Listener, addr net.Addr) error {
	m.life.Lock()
	defer m.life.Unlock()
	m.tested.Lock()
	defer m.tested.Unlock()
	s := m.resp
	if s == nil {
		front := server.New(m.backend())
		e, err := m.power.turnOn(front)
		if err != nil {
			return err
		}
		s = resp.NewServer(e, resp.Options{Intercept: front.Intercept})
		m.front, m.resp = front, s
		if m.Ctx.Err() != nil {
			m.Ctx, m.CtxCancel = context.WithCancel(context.Background())
		}
		front.SetPreHook(failing(m.failing))
		m.failing = ""
		for sub := range m.subscribers {
			if err := sub.attach(e); err != nil {
				return err
			}
		}
	}
	if l == nil {
		return nil
	}
	m.listening.addr = addr.(*net.TCPAddr)
	m.listening.wg.Go(func() { _ = s.Serve(l) }) // it ends with the server
	return nil
}

// backend is what the front needs.
func (m *Miniredis) backend() server.Backend {
	return server.Backend{
		Addr:  m.addr,
		Serve: m.serveConn,
		Close: m.Close,
		Gate: func() {
			m.Lock()
			defer m.Unlock()
		},
		Known:     m.known,
		NeedsAuth: m.secret.Load,
		Run:       m.ownCommand,
	}
}

// serveConn serves a connection, or closes it if the server is closed.
func (m *Miniredis) serveConn(nc net.Conn) {
	m.tested.Lock()
	s := m.resp
	m.tested.Unlock()
	if s == nil {
		_ = nc.Close()
		return
	}
	s.ServeConn(nc)
}

// Dial connects to the server in memory, without a socket. It starts the server without a listener
// if it is not started; then Addr returns "".
func (m *Miniredis) Dial() (net.Conn, error) {
	if m.Server() == nil {
		if err := m.start(nil, nil); err != nil {
			return nil, err
		}
	}
	m.tested.Lock()
	s := m.resp
	m.tested.Unlock()
	if s == nil { // closed in the meantime
		return nil, resp.ErrServerClosed
	}
	return s.Dial()
}

// Restart starts a server again that was closed, on the same port and with the same data. Commands
// and hooks of [Miniredis.Server] and counts of commands and connections begin again.
func (m *Miniredis) Restart() error { return m.Start() }

// Close closes the server and its connections, and waits for their end. The data is kept. A script
// that still runs after a second is stopped. A second Close does nothing.
func (m *Miniredis) Close() {
	m.life.Lock()
	defer m.life.Unlock()
	m.tested.Lock()
	s := m.resp
	m.resp = nil
	m.tested.Unlock()
	if s == nil {
		return
	}
	m.CtxCancel()
	defer m.power.endScripts(m.tester)()
	_ = s.Close() // never fails
	m.listening.wg.Wait()
	for _, sub := range m.allSubscribers() {
		sub.detach()
	}
	m.power.turnOff()
}

// addr returns the address of the listener, or nil.
func (m *Miniredis) addr() *net.TCPAddr {
	m.tested.Lock()
	defer m.tested.Unlock()
	return m.listening.addr
}

// Addr returns the address of the server, host:port; after Close that of the last start, and "" if
// it never listened.
func (m *Miniredis) Addr() string {
	if a := m.addr(); a != nil {
		return a.String()
	}
	return ""
}

// Host returns the host of [Miniredis.Addr].
func (m *Miniredis) Host() string {
	if a := m.addr(); a != nil {
		return a.IP.String()
	}
	return ""
}

// Port returns the port of [Miniredis.Addr].
func (m *Miniredis) Port() string {
	if a := m.addr(); a != nil {
		return strconv.Itoa(a.Port)
	}
	return ""
}

// lastServer returns the running or the last server, or nil.
func (m *Miniredis) lastServer() *server.Server {
	m.tested.Lock()
	defer m.tested.Unlock()
	return m.front
}

// Server returns the side of the server that clients are connected to, for hooks and commands of
// the test. It is nil unless the server is started.
func (m *Miniredis) Server() *server.Server {
	m.tested.Lock()
	defer m.tested.Unlock()
	if m.resp == nil {
		return nil
	}
	return m.front
}
