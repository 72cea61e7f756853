package wild

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// subscribes reports whether messages may come from this request on.
func subscribes(r request) bool {
	return r.is("SUBSCRIBE") || r.is("PSUBSCRIBE") || r.is("SSUBSCRIBE")
}

// token marks how far a server has come: it is sent as the argument of a PING and comes back behind
// all that was made before.
const token = "as far as this "

// stream is what one server sends to a connection that has subscribed: replies and messages, as raw
// bytes.
type stream struct {
	frames [][]byte
	marks  chan struct{} // one for each token that has come back
	ended  chan struct{}
}

// listen reads what a server sends, and hands it on to the client where that server leads.
func listen(from *difftest.NetConn, hand func([]byte)) *stream {
	st := &stream{marks: make(chan struct{}, 16), ended: make(chan struct{})}
	go func() {
		defer close(st.ended)
		for {
			raw, err := from.Read()
			switch {
			case err != nil || string(raw) == difftest.Closed:
				return
			case bytes.Contains(raw, []byte(token)):
				st.marks <- struct{}{}
			default:
				st.frames = append(st.frames, raw)
				hand(raw)
			}
		}
	}()
	return st
}

// tunnel serves a connection that has subscribed: its requests go to both servers, and what these
// send goes to the client and is compared in the end.
func (p *Proxy) tunnel(s *session, first request, more <-chan request) error {
	if err := errors.Join(s.toOracle.SetDeadline(time.Time{}), s.toRedmoon.SetDeadline(time.Time{})); err != nil {
		return err
	}
	toClient := func(raw []byte) { _, _ = s.client.Write(raw) } // a client that has hung up needs nothing
	nobody := func([]byte) {}
	streams := [2]*stream{}
	if p.lead == OracleLeads {
		streams = [2]*stream{listen(s.oracle, toClient), listen(s.redmoon, nobody)}
	} else {
		streams = [2]*stream{listen(s.oracle, nobody), listen(s.redmoon, toClient)}
	}
	for req, ok := first, true; ok; req, ok = <-more {
		if err := p.forward(s, streams, req); err != nil {
			return err
		}
		if req.is("QUIT") {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark(s, streams)
	s.oracle.Close()
	s.redmoon.Close()
	for i := range max(len(streams[0].frames), len(streams[1].frames)) {
		e := exchange{session: s.id, request: request{"received", strconv.Itoa(i)}}
		for side, raw := range []*[]byte{&e.want, &e.got} {
			<-streams[side].ended
			if frames := streams[side].frames; i < len(frames) {
				*raw = frames[i]
			}
		}
		p.exchanges = append(p.exchanges, e)
	}
	return nil
}

// forward sends a request to both servers and waits until both have run it.
func (p *Proxy) forward(s *session, streams [2]*stream, r request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passTo(difftest.Present())
	for _, c := range []*difftest.NetConn{s.oracle, s.redmoon} {
		if err := c.Send(string(encode(r))); err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
	}
	p.mark(s, streams)
	return nil
}

// mark waits until all that both servers have made for the connection has come. The caller holds
// p.mu.
func (p *Proxy) mark(s *session, streams [2]*stream) {
	for i, c := range []*difftest.NetConn{s.oracle, s.redmoon} {
		if c.Send(string(encode(request{"PING", token}))) == nil {
			select {
			case <-streams[i].marks:
			case <-streams[i].ended:
			}
		}
	}
}
