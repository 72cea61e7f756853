package wild

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// exchange is one request and what both servers answered, as raw bytes.
type exchange struct {
	session   int
	request   request
	want, got []byte
	queued    []request // what an EXEC ran
}

// errGone ends a session whose client has hung up.
var errGone = errors.New("the client has hung up")

// Proxy stands between a package and the two servers.
type Proxy struct {
	// Addr is where clients connect.
	Addr string

	peers    Peers
	lead     Lead
	listener net.Listener
	sessions sync.WaitGroup

	oracleProbe, redmoonProbe difftest.Conn // ask how many clients wait

	closing chan struct{} // closed at the end

	mu        sync.Mutex // held while a request is carried out, so there is one order on both servers
	closed    bool
	open      map[*session]bool
	conns     []net.Conn // of clients, to be closed at the end
	failed    []error
	exchanges []exchange
	scripts   scripts
	longest   time.Duration // that the oracle took to answer
}

// NewProxy starts a proxy on a loopback port. The caller must Close it.
func NewProxy(peers Peers, lead Lead) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: l.Addr().String(), peers: peers, lead: lead, listener: l, scripts: scripts{},
		closing: make(chan struct{}), open: map[*session]bool{}}
	if p.oracleProbe, err = peers.Oracle.Open(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if p.redmoonProbe, err = peers.Redmoon.Open(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	p.sessions.Go(p.accept)
	return p, nil
}

// Close hangs up on all clients, waits for their sessions to end and returns what went wrong in
// them.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	err := p.listener.Close()
	for _, c := range p.conns {
		_ = c.Close() // most have been closed by the client
	}
	close(p.closing)
	p.mu.Unlock()
	p.sessions.Wait()
	p.oracleProbe.Close()
	p.redmoonProbe.Close()
	return errors.Join(append(p.failed, err)...)
}

func (p *Proxy) accept() {
	for id := 0; ; id++ {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns = append(p.conns, c)
		closed := p.closed
		p.mu.Unlock()
		if closed {
			_ = c.Close() // it came too late to be served
			return
		}
		p.sessions.Go(func() {
			defer c.Close()
			if err := p.serve(id, c); err != nil {
				p.mu.Lock()
				p.failed = append(p.failed, fmt.Errorf("connection %d: %w", id, err))
				p.mu.Unlock()
			}
		})
	}
}

// session is one connection of a client and its two connections to the servers.
type session struct {
	id              int
	client          net.Conn
	oracle, redmoon *difftest.NetConn
	hungUp          chan struct{} // closed when the client has hung up
	timesOut        time.Time     // when the wait of its command ends, on Redmoon; under Proxy.mu

	toOracle, toRedmoon net.Conn

	multi  bool
	queued []request
}

func (p *Proxy) serve(id int, c net.Conn) error {
	toOracle, err := net.Dial("tcp", p.peers.Oracle.Addr)
	if err != nil {
		return err
	}
	defer toOracle.Close()
	toRedmoon, err := net.Dial("tcp", p.peers.RedmoonAddr)
	if err != nil {
		return err
	}
	defer toRedmoon.Close()
	s := &session{id: id, client: c, toOracle: toOracle, toRedmoon: toRedmoon, hungUp: make(chan struct{}),
		oracle: difftest.NewNetConn(toOracle), redmoon: difftest.NewNetConn(toRedmoon)}
	p.mu.Lock()
	p.open[s] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.open, s)
		p.mu.Unlock()
	}()

	requests := make(chan request, 1024)
	done := make(chan struct{})
	defer close(done)
	p.sessions.Go(func() {
		defer close(requests)
		defer close(s.hungUp)
		for r := bufio.NewReader(c); ; {
			req, err := readRequest(r)
			if err != nil {
				return // the client has closed the connection, or sends no RESP: its program reports that
			}
			select {
			case requests <- req:
			case <-done:
				return
			}
		}
	})
	for req := range requests {
		if subscribes(req) {
			return p.tunnel(s, req, requests)
		}
		reply, err := p.carryOut(s, req)
		if errors.Is(err, errGone) || err == nil && string(reply) == difftest.Closed {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", req, err)
		}
		if _, err := c.Write(reply); err != nil {
			return nil // the client has hung up without waiting
		}
		if req.is("QUIT") {
			return nil
		}
	}
	return nil
}

// carryOut asks both servers and returns the reply for the client.
func (p *Proxy) carryOut(s *session, r request) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if timeout, ok := r.mayWait(); ok && !s.multi {
		return p.wait(s, r, timeout)
	}
	return p.ask(s, r)
}

// ask asks both servers, the oracle first. The caller holds p.mu.
func (p *Proxy) ask(s *session, r request) ([]byte, error) {
	began := difftest.Present()
	want, err := s.oracle.Do(r)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	took := difftest.Present().Sub(began)
	p.longest = max(p.longest, took)
	p.scripts.learn(r)
	p.passTo(began.Add(took / 2))
	got, err := s.redmoon.Do(r)
	if err != nil {
		return nil, fmt.Errorf("redmoon: %w", err)
	}
	e := exchange{session: s.id, request: r, want: want, got: got}
	s.follow(r, &e)
	return p.settle(e), nil
}

// settle keeps an exchange and returns what the client gets.
func (p *Proxy) settle(e exchange) []byte {
	p.exchanges = append(p.exchanges, e)
	if p.lead == OracleLeads || e.lacking() != "" {
		return e.want
	}
	return e.got
}

// follow keeps account of what is queued for an EXEC.
func (s *session) follow(r request, e *exchange) {
	switch {
	case r.is("MULTI"):
		s.multi, s.queued = true, nil
	case r.is("EXEC"), r.is("DISCARD"), r.is("RESET"):
		e.queued = slices.Clone(s.queued)
		s.multi, s.queued = false, nil
	case s.multi:
		s.queued = append(s.queued, r)
	}
}
