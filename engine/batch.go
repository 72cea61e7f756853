package engine

import (
	"context"

	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

var noContext = context.Background()

// Batch is a pipeline: commands that travel in one request and run one after the other, with
// nothing of other callers in between. It may be used again when RunBatch has returned.
type Batch struct {
	// Commands are the commands, each with its name and arguments.
	Commands [][]string
	// Replies are the replies, in order. There are fewer than commands when Closed.
	Replies []Value
	// Protos holds the protocol (2 or 3) that each reply is to be encoded with; HELLO
	// changes it from its own reply on.
	Protos []uint8
	// BytesIn and BytesOut are what a connection has read and written since its last batch; INFO
	// adds them up. RunBatch sets them to zero.
	BytesIn, BytesOut int64
	// Reads and Writes are how often the connection has read from and written to its socket; the same
	// holds for them.
	Reads, Writes int64
	// StopAtBlock makes RunBatch return as soon as a command waits (BLPOP and the like), with Blocked
	// set. The next RunBatch of the same batch waits for it and goes on; Replies are then the further
	// ones.
	StopAtBlock bool
	// Blocked says that a command of the batch waits. The batch, but for Replies and Protos, must stay
	// as it is.
	Blocked bool
	// Closed says that the session has ended (QUIT): the rest was not run, and a connection is to be
	// closed.
	Closed bool
	// Debug, when RunBatch returns, is a script of the last command that has a reply to come: who has
	// opened the session with Debugs is to debug it, to answer, and to close the session. The commands
	// behind it are dropped.
	Debug *DebugCall
	// Muted says that the session would drop the reply that comes next (CLIENT REPLY).
	Muted bool
	// NoAuth says that the session has yet to give the password. A batch without commands tells it at
	// the start.
	NoAuth bool

	next     int   // the command to run next
	ahead    int   // the first command that has not been read ahead of
	answered int64 // how often RunBatch has returned it
	taken    int64 // the last BytesIn
}

// Answered is how many calls of RunBatch the engine has ended with this batch. Only
// [SessionInfo].Receive may ask for it.
func (b *Batch) Answered() int64 { return b.answered }

// batchTick is how many commands of a batch see the same time. Reading a clock costs as much as a
// short command.
const batchTick = 64

// repliesAtOnce is for how many replies a batch makes room before there are any.
const repliesAtOnce = 1 << 10

// begin makes b ready to be run from its first command on.
func (b *Batch) begin(s *server.Server) {
	b.Replies, b.Protos, b.Closed, b.next = b.Replies[:0], b.Protos[:0], false, 0
	if n := min(len(b.Commands), repliesAtOnce); cap(b.Replies) < n {
		b.Replies, b.Protos = make([]Value, 0, n), make([]uint8, 0, n)
	}
	b.Debug = nil
	b.ahead = 0
	s.Stats.NetIn += b.BytesIn
	s.Stats.NetOut += b.BytesOut
	s.Stats.Reads += b.Reads
	s.Stats.Writes += b.Writes
	b.taken = b.BytesIn
	b.BytesIn, b.BytesOut, b.Reads, b.Writes = 0, 0, 0, 0
}

// add appends the reply of a command.
func (b *Batch) add(s *server.Server, v reply.Value, sess *server.Session) {
	if sess.Async {
		b.handOver(sess) // the replies of the commands before the one that subscribed first
		if v.Kind() != reply.KindNone {
			s.Deliver(sess, v, sess.Proto)
		}
		return
	}
	b.Replies = append(b.Replies, v)
	b.Protos = append(b.Protos, uint8(sess.Proto))
}

// runBatch runs the rest of r's batch on the loop. It reports whether r is over: where a command
// waits it is not, unless the batch is to return then.
func (e *Engine) runBatch(r *request) (over bool) {
	sess, b := r.sess, r.batch
	e.running = r
	if sess.CloseAfter { // killed while these commands waited
		b.Closed = true
		return true
	}
	for b.next < len(b.Commands) {
		if e.slept || b.next%batchTick == batchTick-1 {
			e.setNow()
		}
		if b.next == b.ahead {
			b.ahead += e.server.ReadAhead(sess, b.Commands[b.next:])
		}
		v, w := e.execute(sess, b.Commands[b.next], nil, 0)
		b.next++
		if w != nil {
			if h := w.Handed(); h != nil {
				b.Debug = debugCall(h, sess.Proto)
				break
			}
			if v.Kind() != reply.KindNone { // what the command has sent to its own caller
				b.add(e.server, v, sess)
			}
			c := e.suspend(r, w)
			if !b.StopAtBlock {
				return false
			}
			c.req, r.suspended, b.Blocked = nil, nil, true
			break
		}
		b.add(e.server, v, sess)
		e.serveReady()
		if sess.CloseAfter {
			break
		}
	}
	b.end(e.server, sess)
	return true
}

// end tells in b how its session stands after the last command that was run.
func (b *Batch) end(s *server.Server, sess *server.Session) {
	b.Closed = b.Closed || sess.CloseAfter
	b.Muted, b.NoAuth = sess.ReplyOff || sess.SkipNext, s.AuthRequired(sess)
}

// handOver sends the replies so far by way of Receive.
func (b *Batch) handOver(sess *server.Session) {
	for i, v := range b.Replies {
		sess.Receive(v, int(b.Protos[i]))
	}
	b.Replies, b.Protos = b.Replies[:0], b.Protos[:0]
}

// turned hands over the replies of a session's running batch before the session receives what it
// did not ask for.
func (e *Engine) turned(sess *server.Session) {
	if r := e.running; r != nil && r.sess == sess {
		r.batch.handOver(sess)
	}
}

func (e *Engine) runBatchRequest(ctx context.Context, sess *server.Session, b *Batch) error {
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

// Pipeline collects commands to send as one [Batch]. It may be used again after Exec, and keeps its
// memory then.
type Pipeline struct {
	e       *Engine
	sess    *server.Session
	cluster *Cluster // in place of e and sess
	batch   Batch
	args    []string // of all commands
	err     error
}

// Pipeline returns an empty pipeline. Its commands share no state, as calls of [Engine.Do].
func (e *Engine) Pipeline() *Pipeline { return &Pipeline{e: e, sess: e.shared} }

// Do adds a command. An argument that cannot be sent is reported by Exec.
func (p *Pipeline) Do(args ...any) *Pipeline {
	from := len(p.args)
	var err error
	if p.args, err = appendArgs(p.args, args); err != nil && p.err == nil {
		p.err = err
	}
	return p.add(from)
}

// DoStrings is Do for arguments that are strings already. The slice may be used again at once.
func (p *Pipeline) DoStrings(args ...string) *Pipeline {
	from := len(p.args)
	p.args = append(p.args, args...)
	return p.add(from)
}

// add makes a command of the arguments from from on.
func (p *Pipeline) add(from int) *Pipeline {
	p.batch.Commands = append(p.batch.Commands, p.args[from:len(p.args):len(p.args)])
	return p
}

// Len is the number of commands added.
func (p *Pipeline) Len() int { return len(p.batch.Commands) }

// Exec runs the commands in order and returns their replies; an error reply of a command stands in
// its place and does not stop the others. The pipeline is empty afterwards. When ctx ends while a
// command waits, the replies to those before it come with the context's error; those behind it are
// not run.
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
		p.batch, p.args, p.err = Batch{}, nil, nil
		return replies, err
	}
	clear(p.args)
	clear(p.batch.Commands)
	p.args = p.args[:0]
	p.batch = Batch{Commands: p.batch.Commands[:0], Protos: p.batch.Protos[:0]}
	return replies, nil
}

// keptPipeline is for how many commands and arguments a pipeline keeps memory when it has been run.
const keptPipeline = 1 << 14
