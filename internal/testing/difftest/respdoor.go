package difftest

import (
	"errors"
	"net"
	"time"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// redmoonServer is a fresh engine behind a RESP server on a loopback port.
type redmoonServer struct {
	*Redmoon
	server *resp.Server
	addr   string
	served chan error
}

func newRedmoonServer(compat string, start time.Time) (*redmoonServer, error) {
	return serveRedmoon(engine.Options{Server: compat}, start)
}

// serveRedmoon is newRedmoonServer with options.
func serveRedmoon(o engine.Options, start time.Time) (*redmoonServer, error) {
	rm, err := newRedmoonWith(o, start)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, rm.Stop())
	}
	r := &redmoonServer{Redmoon: rm, server: resp.NewServer(rm.Engine, resp.Options{Debug: ldb.Debug}), addr: l.Addr().String(),
		served: make(chan error, 1)}
	go func() { r.served <- r.server.Serve(l) }()
	return r, nil
}

// Open implements [Peer].
func (r *redmoonServer) Open() (Conn, error) {
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		return nil, err
	}
	return NewNetConn(c), nil
}

func (r *redmoonServer) stop() error {
	err := r.server.Close()
	if serr := <-r.served; !errors.Is(serr, resp.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return errors.Join(err, r.Redmoon.Stop())
}
