package redmoontest

import (
	"errors"
	"net"

	"github.com/redmoon-lua/redmoon/resp"
)

// Addr returns the address (host:port, on the loopback interface) of a server for this engine, for
// programs and clients that need one. The server starts at the first call and ends with the test.
// Addr ends the test if it cannot listen.
func (e *Engine) Addr() string {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listener == nil {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			e.t.Fatalf("redmoontest: %v", err)
		}
		e.listener = l
		e.serve()
	}
	return e.listener.Addr().String()
}

// serve serves the engine on its listener until the server is closed.
func (e *Engine) serve() {
	s := resp.NewServer(e.Engine, resp.Options{})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(e.listener) }()
	e.endServer = func() error {
		err := s.Close()
		if served := <-ended; !errors.Is(served, resp.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
}
