package wild

import (
	"errors"
	"net"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/resp"
)

// Lead says whose replies a package lives on.
type Lead string

// The two ways to play a program.
const (
	OracleLeads  Lead = "oracle leads"
	RedmoonLeads Lead = "redmoon leads"
)

// Peers are the two servers, both fresh.
type Peers struct {
	Oracle      *difftest.Oracle
	Redmoon     *difftest.Redmoon
	RedmoonAddr string

	server *resp.Server
	served chan error
}

// StartPeers starts both servers. The error wraps [difftest.ErrNoOracle] when there is no
// redis-server.
func StartPeers() (Peers, error) {
	oracle, err := difftest.StartOracle()
	if err != nil {
		return Peers{}, err
	}
	p := Peers{Oracle: oracle, served: make(chan error, 1)}
	if p.Redmoon, err = difftest.NewRedmoon(difftest.Present()); err != nil {
		oracle.Stop()
		return Peers{}, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		oracle.Stop()
		return Peers{}, errors.Join(err, p.Redmoon.Stop())
	}
	p.RedmoonAddr = l.Addr().String()
	p.server = resp.NewServer(p.Redmoon.Engine, resp.Options{})
	go func() { p.served <- p.server.Serve(l) }()
	return p, nil
}

// Stop ends both servers and checks the invariants of Redmoon's keyspace.
func (p Peers) Stop() error {
	p.Oracle.Stop()
	err := p.server.Close()
	if serr := <-p.served; !errors.Is(serr, resp.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return errors.Join(err, p.Redmoon.Stop())
}
