package difftest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// pipe takes many commands in one call.
type pipe interface {
	// Run runs commands one after the other and returns their raw replies, which are valid until the
	// next call.
	Run(cmds [][]string) ([][]byte, error)
	// Close ends the session.
	Close()
}

// netPipe is a connection to a server.
type netPipe struct {
	c       net.Conn
	r       *bufio.Reader
	request []byte
	arena   []byte
	ends    []int
	replies [][]byte
	renamed bool // the server is Redict, whose replies are shown as those of Redis
}

func newNetPipe(addr string) (*netPipe, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &netPipe{c: c, r: bufio.NewReaderSize(c, 1<<16)}, nil
}

// Run implements [pipe].
func (p *netPipe) Run(cmds [][]string) ([][]byte, error) {
	p.request, p.arena, p.ends = p.request[:0], p.arena[:0], p.ends[:0]
	for _, args := range cmds {
		p.request = resp.AppendCommand(p.request, args...)
	}
	if err := p.c.SetDeadline(patience.Deadline()); err != nil {
		return nil, err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := p.c.Write(p.request)
		sent <- err
	}()
	for i := range cmds {
		var err error
		if p.arena, err = readFrame(p.r, p.arena); err != nil {
			p.c.Close()
			<-sent
			return nil, fmt.Errorf("no reply to %.300q: %w", cmds[i], err)
		}
		p.ends = append(p.ends, len(p.arena))
	}
	return p.cut(), <-sent
}

func (p *netPipe) cut() [][]byte {
	p.replies = p.replies[:0]
	from := 0
	for _, end := range p.ends {
		p.replies = append(p.replies, p.arena[from:end])
		if last := &p.replies[len(p.replies)-1]; p.renamed {
			*last = asRedis(*last)
		}
		from = end
	}
	return p.replies
}

// Close implements [pipe].
func (p *netPipe) Close() { p.c.Close() }

// goPipe is a session of the Go API.
type goPipe struct {
	e     *engine.Engine
	s     *engine.Session
	batch enginedoor.Batch
}

// Run implements [pipe].
func (p *goPipe) Run(cmds [][]string) ([][]byte, error) {
	p.batch.Commands = cmds
	if err := enginedoor.Of(p.s).RunBatch(context.Background(), &p.batch); err != nil {
		return nil, err
	}
	if len(p.batch.Replies) != len(cmds) {
		return nil, fmt.Errorf("%d replies to %d commands", len(p.batch.Replies), len(cmds))
	}
	var arena []byte
	replies := make([][]byte, len(cmds))
	for i, v := range p.batch.Replies {
		from := len(arena)
		arena = resp.Append(arena, v, int(p.batch.Protos[i]))
		replies[i] = arena[from:len(arena):len(arena)]
	}
	return replies, nil
}

// Close implements [pipe].
func (p *goPipe) Close() { _ = p.s.Close() }

// newRedmoonPipe starts a fresh engine whose clock stands at start, behind a server or not. stop
// checks the keyspace's invariants and ends it.
func newRedmoonPipe(o engine.Options, start time.Time, served bool) (p pipe, stop func() error, err error) {
	if served {
		r, err := serveRedmoon(o, start)
		if err != nil {
			return nil, nil, err
		}
		p, err := newNetPipe(r.addr)
		return p, r.stop, err
	}
	rm, err := newRedmoonWith(o, start)
	if err != nil {
		return nil, nil, err
	}
	s, err := rm.Engine.NewSession()
	return &goPipe{s: s, e: rm.Engine}, rm.Stop, err
}
