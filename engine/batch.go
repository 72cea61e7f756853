package engine

import (
	"context"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

var noContext = context.Background()

// batchTick is the number of commands of a batch that see the same time. Reading a clock costs as
// much as a short command.
const batchTick = 64

// repliesAtOnce limits the number of replies for which a batch allocates memory in advance.
const repliesAtOnce = 1 << 10

// beginBatch prepares b to be run from its first command on.
func beginBatch(b *enginedoor.Batch, s server.Control) {
	b.Replies, b.Protos, b.Closed, b.Loop.Next = b.Replies[:0], b.Protos[:0], false, 0
	if n := min(len(b.Commands), repliesAtOnce); cap(b.Replies) < n {
		b.Replies, b.Protos = make([]Value, 0, n), make([]uint8, 0, n)
	}
	b.Debug = nil
	b.Loop.Ahead = 0
	s.Stats.NetIn += b.BytesIn
	s.Stats.NetOut += b.BytesOut
	s.Stats.Reads += b.Reads
	s.Stats.Writes += b.Writes
	b.Loop.Taken = b.BytesIn
	b.BytesIn, b.BytesOut, b.Reads, b.Writes = 0, 0, 0, 0
}

// addReply appends the reply of a command.
func addReply(b *enginedoor.Batch, s server.Control, v reply.Value, sess *server.Session) {
	if sess.Async {
		handOver(b, s, sess) // the replies before the command that first subscribed
		if v.Kind() != reply.KindNone {
			s.Deliver(sess, v, sess.Proto)
		}
		return
	}
	b.Replies = append(b.Replies, v)
	b.Protos = append(b.Protos, uint8(sess.Proto))
}

// runBatch runs the rest of r's batch on the loop. It reports whether r is over. It is not over
// while a command waits, unless the batch returns then.
func (e *Engine) runBatch(r *request) (over bool) {
	sess, b := r.sess, r.batch
	e.running = r
	if sess.CloseAfter { // killed while these commands waited
		b.Closed = true
		return true
	}
	for at := &b.Loop; at.Next < len(b.Commands); {
		if e.slept || at.Next%batchTick == batchTick-1 {
			e.setNow()
		}
		if at.Next == at.Ahead {
			at.Ahead += e.server.ReadAhead(sess, b.Commands[at.Next:])
		}
		v, w := e.execute(sess, b.Commands[at.Next], nil)
		at.Next++
		if w != nil {
			if h := w.Handed(); h != nil {
				b.Debug = &enginedoor.DebugCall{HandedScript: h, Proto: sess.Proto}
				break
			}
			if v.Kind() != reply.KindNone { // what the command has pushed to its own session
				addReply(b, e.server, v, sess)
			}
			c := e.suspend(r, w)
			if !b.StopAtBlock {
				return false
			}
			c.req, r.suspended, b.Blocked = nil, nil, true
			break
		}
		addReply(b, e.server, v, sess)
		e.serveReady()
		if sess.CloseAfter {
			break
		}
	}
	endBatch(b, e.server, sess)
	return true
}

// endBatch stores in b the state of its session after the last command. As in Redis, a session that
// has ended leaves the server now: whoever has read the reply to its QUIT does not see it any more.
func endBatch(b *enginedoor.Batch, s server.Control, sess *server.Session) {
	if sess.CloseAfter {
		b.Closed = true
		s.CloseSession(sess)
	}
	b.Muted, b.NoAuth = sess.Muted(), s.AuthRequired(sess)
}

// handOver sends the replies so far through Receive.
func handOver(b *enginedoor.Batch, s server.Control, sess *server.Session) {
	for i, v := range b.Replies {
		s.SendEarlier(sess, v, int(b.Protos[i]))
	}
	b.Replies, b.Protos = b.Replies[:0], b.Protos[:0]
}

// turned sends the replies of a session's running batch before the session receives its first
// pushed value.
func (e *Engine) turned(sess *server.Session) {
	if r := e.running; r != nil && r.sess == sess {
		handOver(r.batch, e.server, sess)
	}
}

func (e *Engine) runBatchRequest(ctx context.Context, sess *server.Session, b *enginedoor.Batch) error {
	r := e.newRequest()
	r.kind, r.sess, r.batch = batchRequest, sess, b
	if b.Blocked {
		r.kind = resumeRequest
	}
	if err := e.roundTrip(ctx, r); err != nil {
		return err
	}
	e.freeRequest(r)
	return nil
}

// Pipeline collects commands and runs them in one request. On an engine or session no command of
// another caller runs between them, except while one of them is blocked. It may be used again after
// Exec and then reuses its memory. It must not be used by several goroutines at the same time.
type Pipeline struct {
	e       *Engine
	sess    *server.Session
	cluster *Cluster // instead of e and sess
	batch   enginedoor.Batch
	args    []string // of all commands
	err     error
}

// Pipeline returns an empty pipeline. Like calls of [Engine.Do], its commands share no state:
// MULTI, for example, is an error.
func (e *Engine) Pipeline() *Pipeline { return &Pipeline{e: e, sess: e.shared} }

// Do adds a command, with arguments as for [Engine.Do]. It runs nothing. If an argument cannot be
// converted, Exec returns the error and runs none of the commands.
func (p *Pipeline) Do(args ...any) *Pipeline {
	from := len(p.args)
	var err error
	if p.args, err = appendArgs(p.args, args); err != nil && p.err == nil {
		p.err = err
	}
	return p.add(from)
}

// DoStrings is Do for arguments that are strings already. The caller may reuse args as soon as it
// returns.
func (p *Pipeline) DoStrings(args ...string) *Pipeline {
	from := len(p.args)
	p.args = append(p.args, args...)
	return p.add(from)
}

// add makes a command of the arguments that begin at index from.
func (p *Pipeline) add(from int) *Pipeline {
	p.batch.Commands = append(p.batch.Commands, p.args[from:len(p.args):len(p.args)])
	return p
}

// Len returns the number of commands added.
func (p *Pipeline) Len() int { return len(p.batch.Commands) }

// Exec runs the commands in order and returns their replies. An error reply is one of the replies;
// it does not stop the commands behind it and is not an error of Exec. The pipeline is empty
// afterwards, also after an error. An empty pipeline returns no replies and no error.
//
// If ctx ends while a command is blocked, Exec returns the replies of the commands before it and
// the error of ctx, and the commands behind it do not run. Other errors are [ErrClosed],
// [ErrSessionClosed] and [ErrReentrant].
func (p *Pipeline) Exec(ctx context.Context) (replies []Value, err error) {
	err = p.err
	if n := len(p.batch.Commands); err == nil && n > 0 {
		p.batch.Replies = make([]Value, 0, n)
		if p.cluster != nil {
			replies, err = p.cluster.pipeline(ctx, &p.batch)
		} else {
			err = p.e.runBatchRequest(ctx, p.sess, &p.batch)
			replies = p.batch.Replies
		}
	}
	if err != nil || cap(p.args) > keptPipeline || cap(p.batch.Commands) > keptPipeline {
		p.batch, p.args, p.err = enginedoor.Batch{}, nil, nil
		return replies, err
	}
	clear(p.args)
	clear(p.batch.Commands)
	p.args = p.args[:0]
	p.batch = enginedoor.Batch{Commands: p.batch.Commands[:0], Protos: p.batch.Protos[:0]}
	return replies, nil
}

// keptPipeline is the number of commands and arguments for which a pipeline keeps its memory.
const keptPipeline = 1 << 14
