package wild

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// timeoutPlaces gives the position of the time-out of a blocking command: from the end, when
// negative. It is in seconds.
var timeoutPlaces = map[string]int{
	"BLPOP": -1, "BRPOP": -1, "BZPOPMIN": -1, "BZPOPMAX": -1, "BRPOPLPUSH": -1, "BLMOVE": -1, "BLMPOP": 1, "BZMPOP": 1,
}

// mayWait reports whether the command may wait, and for how long (0: for ever).
func (r request) mayWait() (timeout time.Duration, ok bool) {
	place, ok := timeoutPlaces[r.name()]
	if !ok || len(r) < 3 {
		return 0, false
	}
	if place < 0 {
		place += len(r)
	}
	seconds, err := strconv.ParseFloat(r[place], 64)
	return time.Duration(seconds * float64(time.Second)), err == nil && seconds >= 0
}

// answer is what a server answered to a command that may wait.
type answer struct {
	raw []byte
	err error
}

// waiting is a command that waits on one server.
type waiting struct {
	later <-chan answer
	now   *answer // it did not wait, or has waited
}

// begin sends a command and returns when the server has answered or says, to probe, that one client
// more waits.
func begin(to *difftest.NetConn, forEver func() error, probe difftest.Conn, r request) (*waiting, error) {
	before, err := blocked(probe)
	if err != nil {
		return nil, err
	}
	later := make(chan answer, 1)
	if err := errors.Join(to.Send(string(encode(r))), forEver()); err != nil {
		return nil, err
	}
	go func() {
		raw, err := to.Read()
		later <- answer{raw, err}
	}()
	w := &waiting{later: later}
	for {
		select {
		case a := <-later:
			w.now = &a
			return w, a.err
		default:
		}
		n, err := blocked(probe)
		if err != nil || n > before {
			return w, err
		}
	}
}

// blocked is how many clients wait on a server.
func blocked(probe difftest.Conn) (int, error) {
	raw, err := probe.Do([]string{"INFO", "clients"})
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), "\nblocked_clients:")
	digits, _, _ := strings.Cut(rest, "\r")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("INFO clients: %q", raw)
	}
	return n, nil
}

// wait carries out a command that may wait. The caller holds p.mu, which is released while both
// servers let it wait: each of them then serves it in its own time, by what other sessions do.
func (p *Proxy) wait(s *session, r request, timeout time.Duration) ([]byte, error) {
	began := difftest.Present()
	oracle, err := begin(s.oracle, func() error { return s.toOracle.SetDeadline(time.Time{}) }, p.oracleProbe, r)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	p.passTo(began)
	redmoon, err := begin(s.redmoon, func() error { return s.toRedmoon.SetDeadline(time.Time{}) }, p.redmoonProbe, r)
	if err != nil {
		return nil, fmt.Errorf("redmoon: %w", err)
	}
	if oracle.now == nil && timeout > 0 { // until the oracle says that the time is out it is not out on Redmoon
		s.timesOut = p.peers.Redmoon.Clock.Now().Add(timeout)
	}
	for oracle.now == nil || redmoon.now == nil {
		p.mu.Unlock()
		var a answer
		which := oracle
		select {
		case a = <-pick(oracle):
		case a = <-pick(redmoon):
			which = redmoon
		case <-s.hungUp:
			p.mu.Lock()
			return nil, p.giveUp(s)
		case <-p.closing:
			p.mu.Lock()
			return nil, p.giveUp(s)
		}
		p.mu.Lock()
		which.now = &a
		if a.err != nil {
			return nil, a.err
		}
		if which == oracle && !s.timesOut.IsZero() {
			out := s.timesOut
			s.timesOut = time.Time{}
			if isNull(a.raw) {
				p.passTo(out.Add(time.Millisecond))
			}
		}
	}
	s.timesOut = time.Time{}
	e := exchange{session: s.id, request: r, want: oracle.now.raw, got: redmoon.now.raw}
	return p.settle(e), nil
}

// pick is where the answer comes from, or nothing when it has come.
func pick(w *waiting) <-chan answer {
	if w.now != nil {
		return nil
	}
	return w.later
}

// giveUp ends the wait of a client that has hung up, on both servers, before anything else happens.
func (p *Proxy) giveUp(s *session) error {
	s.timesOut = time.Time{}
	for _, x := range []struct {
		probe difftest.Conn
		conn  *difftest.NetConn
	}{{p.oracleProbe, s.oracle}, {p.redmoonProbe, s.redmoon}} {
		before, err := blocked(x.probe)
		x.conn.Close()
		for n := before; err == nil && before > 0 && n >= before; {
			n, err = blocked(x.probe)
		}
		if err != nil {
			return err
		}
	}
	return errGone
}

// passTo sets Redmoon's clock to t, but not to where a wait would end there that still lasts on the
// oracle.
func (p *Proxy) passTo(t time.Time) {
	for s := range p.open {
		if last := s.timesOut.Add(-time.Millisecond); !s.timesOut.IsZero() && last.Before(t) {
			t = last
		}
	}
	clock := p.peers.Redmoon.Clock
	if d := t.Sub(clock.Now()); d > 0 {
		clock.Advance(d)
	}
}

func isNull(reply []byte) bool {
	return strings.HasPrefix(string(reply), "$-1") || strings.HasPrefix(string(reply), "_") || strings.HasPrefix(string(reply), "*-1")
}
