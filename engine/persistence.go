package engine

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Persistence keeps the data set of an engine in files. Package persist makes it; nothing else can
// implement it. One Persistence is for one engine.
type Persistence interface {
	persistence
}

type persistence = enginedoor.Has[enginedoor.Files]

// attach connects the engine with its files.
func (e *Engine) attach(p Persistence) error {
	files, err := enginedoor.Of(p).Attach(server.Host{
		Server: e.server, Now: e.clock.Now, AfterFunc: e.clock.AfterFunc,
		Post:    func(f func()) { e.files.posts.post(e, funcRequest, f) },
		PostNow: func(f func()) { e.files.postsNow.post(e, promptRequest, f) },
		Release: e.releaseReplies,
	})
	if err != nil {
		return err
	}
	e.server.Persistence = files
	e.files.loaded = make(chan error, 1)
	return nil
}

// load loads the data set before the loop takes requests. It runs on the loop.
func (e *Engine) load() {
	defer func() {
		if p := recover(); p != nil {
			e.ended(e.panicked(p, "load").Err())
		}
	}()
	e.setNow()
	e.ended(e.server.Persistence.Load())
}

// ended reports the end of the load. After an error everything is refused until the program closes
// the engine.
func (e *Engine) ended(err error) {
	e.setNow()
	e.server.Loading.Failed = err
	if err == nil {
		e.armTimer()
	}
	e.files.loaded <- err
}

// files are what waits for the files of the data set, and for the loop because of them.
type files struct {
	outgoing outgoing
	closeErr error      // of the files of Options.Persistence
	loaded   chan error // holds the outcome of the load; nil without persistence
	imaging  imaging
	posts    posts
	postsNow posts
}

// posts are functions that wait for the loop.
type posts struct {
	mu    sync.Mutex
	list  []func()
	armed bool // a goroutine sends them
}

func (p *posts) post(e *Engine, kind requestKind, f func()) {
	p.mu.Lock()
	p.list = append(p.list, f)
	first := !p.armed
	p.armed = true
	p.mu.Unlock()
	if first {
		e.inflight.Add(1) // Close waits for it
		go p.send(e, kind)
	}
}

func (p *posts) send(e *Engine, kind requestKind) {
	defer e.inflight.Add(-1)
	for {
		err := e.call(kind, func() {
			for _, f := range p.take() {
				f()
			}
		})
		p.mu.Lock()
		if err != nil || len(p.list) == 0 {
			p.armed, p.list = false, nil
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

func (p *posts) take() []func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list
	p.list = nil
	return list
}

// outgoing is what waits for the append-only file, in the order in which it was made: replies, and
// values for sessions. It is empty unless appendfsync is always.
type outgoing []outItem

// outItem leaves when the file is safe up to pos.
type outItem struct {
	pos  int64
	r    *request
	send func() // instead of r
}

// undecided is the position of a value that was made while a command ran: what the command writes
// is not in the file yet.
const undecided = math.MaxInt64

// hold keeps back a finished request if the writes before it are not safe. It reports false if the
// reply may leave.
func (e *Engine) hold(r *request) bool {
	if r.kind > resumeRequest {
		return false
	}
	pos := e.decide()
	if pos == 0 && len(e.files.outgoing) == 0 {
		return false
	}
	e.files.outgoing = append(e.files.outgoing, outItem{pos: pos, r: r})
	return true
}

// holdSend is called instead of send if a value goes to a session. It reports false if the caller
// must send it.
func (e *Engine) holdSend(send func()) bool {
	if !e.server.Persistence.Holds() && len(e.files.outgoing) == 0 {
		return false
	}
	e.files.outgoing = append(e.files.outgoing, outItem{pos: undecided, send: send})
	return true
}

// decide hands the effects of the running request to the file, and returns the position that
// replies must wait for; 0: they may leave.
func (e *Engine) decide() int64 {
	pos := e.server.Persistence.Await()
	n := len(e.files.outgoing)
	if n == 0 || e.files.outgoing[n-1].pos != undecided {
		return pos
	}
	for i := n - 1; i >= 0 && e.files.outgoing[i].pos == undecided; i-- {
		e.files.outgoing[i].pos = pos
	}
	if pos == 0 && e.files.outgoing[0].pos == 0 {
		e.releaseReplies(0, nil)
	}
	return pos
}

// releaseReplies lets replies leave, in the order in which they were made.
func (e *Engine) releaseReplies(safe int64, err error) {
	list, n := e.files.outgoing, 0
	for n < len(list) && (list[n].pos <= safe || err != nil && list[n].pos != undecided) {
		n++
	}
	if n == 0 {
		return
	}
	e.files.outgoing = nil
	for i := range list[:n] {
		switch x := &list[i]; {
		case x.r == nil:
			x.send()
		default:
			if x.pos > safe {
				x.r.lose(err)
			}
			e.finishAnswer(x.r)
		}
	}
	e.files.outgoing = append(slices.Clone(list[n:]), e.files.outgoing...)
}

// endPersistence finishes the files because the engine ends.
func (e *Engine) endPersistence() {
	e.files.closeErr = e.server.Persistence.Close()
	err := e.files.closeErr
	if err == nil {
		err = ErrClosed
	}
	e.decide()
	e.releaseReplies(0, err)
}

// lose makes err the reply of a request: what it did may not be in the append-only file.
func (r *request) lose(err error) {
	if r.err != nil {
		return
	}
	v := reply.Err(err.Error())
	if r.batch == nil {
		r.reply = v
		return
	}
	for i := range r.batch.Replies {
		if r.batch.Replies[i].Kind() != reply.KindNone {
			r.batch.Replies[i] = v
		}
	}
}

// AwaitLoad waits until the data set has been loaded from the files of Options.Persistence, and
// returns the reason if it could not be: the program should then close the engine. It returns nil
// immediately for an engine without files. Without the option Background of package persist, New
// has waited already.
func (e *Engine) AwaitLoad(ctx context.Context) error {
	if e.files.loaded == nil {
		return nil
	}
	select {
	case err := <-e.files.loaded:
		e.files.loaded <- err
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-e.stopped:
		return ErrClosed
	}
}
