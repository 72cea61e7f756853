package streamcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// claim gives pending entries to a consumer. It creates the consumer with the first claimed entry
// or, in later versions of Redis, in any case.
type claim struct {
	c        *server.Ctx
	s        *datastore.Stream
	g        *datastore.StreamGroup
	err      error                     // of looking s up
	consumer *datastore.StreamConsumer // nil until an entry was claimed
	minIdle  int64                     // ms
	at       int64                     // time of the delivery, ms since the epoch
	retry    int64                     // count of deliveries, or -1: one more
	justID   bool
	out      []reply.Value
}

// find looks up the stream and the group.
func (x *claim) find() {
	if x.s, x.err = readStream(x.c, x.c.Args[1]); x.s != nil {
		x.g = x.s.Group(x.c.Args[2])
	}
}

// found returns an error reply if find did not find the group.
func (x *claim) found() (errReply reply.Value, ok bool) {
	if x.err != nil {
		return server.WrongType(), false
	}
	return noGroup(x.c.Args[1], x.c.Args[2]), x.g != nil
}

// begin updates when the consumer was last seen; later versions of Redis do so before anything is
// claimed.
func (x *claim) begin() {
	if x.c.Has(servers.ConsumerSeenFirst) {
		x.consumer = streamConsumer(x.c, x.c.Args[1], x.g, x.c.Args[3])
	}
}

// take claims an entry; pending says that p is its record. text is the ID as the client wrote it,
// for the effect. It returns false if the entry was
// delivered too recently.
func (x *claim) take(p datastore.StreamPending, pending bool, text string) bool {
	if pending && x.minIdle > 0 && x.c.Now()-p.At < x.minIdle {
		return false
	}
	if x.consumer == nil {
		x.consumer = streamConsumer(x.c, x.c.Args[1], x.g, x.c.Args[3])
	}
	count := p.Count
	if !pending {
		count = 1
	}
	switch {
	case x.retry >= 0:
		count = uint64(x.retry)
	case !x.justID:
		count++
	}
	x.g.Assign(x.consumer, p.ID, x.at, count)
	x.g.Activate(x.consumer)
	v := streamID(p.ID)
	if !x.justID {
		v, _ = streamEntry(x.s, p.ID)
	}
	x.out = append(x.out, v)
	x.c.DB.AddDirty(1)
	x.c.NoEffect()
	claimEffect(x.c, x.c.Args[1], x.g, p.ID, text, x.g.LastID())
	return true
}

// forget removes a pending entry that was deleted from the stream.
func (x *claim) forget(id datastore.StreamID, text string) {
	claimEffect(x.c, x.c.Args[1], x.g, id, text, x.g.LastID())
	if x.g.Ack(id) {
		x.c.NoEffect()
		x.c.DB.AddDirty(1)
	}
}

func xclaim(c *server.Ctx) reply.Value {
	x := claim{c: c, retry: -1}
	x.find()
	if bad, ok := x.found(); !ok {
		return bad
	}
	var ok bool
	if x.minIdle, ok = parse.Int(c.Args[4]); !ok {
		return reply.Err("ERR Invalid min-idle-time argument for XCLAIM")
	}
	var ids []datastore.StreamID
	rest := c.Args[5:]
	for ; len(rest) > 0; rest = rest[1:] {
		id, ok := parse.StreamID(rest[0], 0)
		if !ok {
			break
		}
		ids = append(ids, id)
	}
	force, last, bad, ok := x.options(rest)
	if !ok {
		return bad
	}
	moved := x.g.LastID().Before(last)
	if moved {
		x.g.SetID(last, x.g.Read())
	}
	x.begin()
	before := c.Server.Store.Dirty()
	for i, id := range ids {
		if text := c.Args[5+i]; !x.s.Has(id) {
			x.forget(id, text)
		} else if p, pending := x.g.FindPending(id); pending || force {
			p.ID = id
			x.take(p, pending, text)
		}
	}
	if moved && c.Server.Store.Dirty() == before { // otherwise the effects of the entries set it
		groupEffect(c, c.Args[1], x.g)
		c.NoEffect()
		c.DB.AddDirty(1)
	}
	return reply.Array(x.out...)
}

// options reads the options behind the ids of XCLAIM.
func (x *claim) options(args []string) (force bool, last datastore.StreamID, errReply reply.Value, ok bool) {
	now := x.c.Now()
	at := int64(-1)
	for ; len(args) > 0; args = args[1:] {
		a := args[0]
		number := func(into *int64) bool {
			args = args[1:]
			*into, ok = parse.Int(args[0])
			return ok
		}
		switch more := len(args) > 1; {
		case parse.IsToken(a, "force"):
			force = true
		case parse.IsToken(a, "justid"):
			x.justID = true
		case more && parse.IsToken(a, "idle"):
			if !number(&at) {
				return false, last, reply.Err("ERR Invalid IDLE option argument for XCLAIM"), false
			}
			at = now - at
		case more && parse.IsToken(a, "time"):
			if !number(&at) {
				return false, last, reply.Err("ERR Invalid TIME option argument for XCLAIM"), false
			}
		case more && parse.IsToken(a, "retrycount"):
			if !number(&x.retry) {
				return false, last, reply.Err("ERR Invalid RETRYCOUNT option argument for XCLAIM"), false
			}
		case more && parse.IsToken(a, "lastid"):
			args = args[1:]
			if last, ok = parse.StreamID(args[0], 0); !ok {
				return false, last, reply.Err(errStreamID), false
			}
		default:
			return false, last, reply.Err(errtext.OneLine("ERR Unrecognized XCLAIM option '" + parse.CString(a) + "'")), false
		}
	}
	if x.at = at; at < 0 || at > now {
		x.at = now
	}
	return force, last, reply.Value{}, true
}

func xautoclaim(c *server.Ctx) reply.Value {
	x := claim{c: c, retry: -1, at: c.Now()}
	x.find() // counts as a lookup with any other arguments
	var ok bool
	if x.minIdle, ok = parse.Int(c.Args[4]); !ok {
		return reply.Err("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	}
	start, bad, ok := parseStart(c.Args[5])
	if !ok {
		return bad
	}
	count := int64(100)
	for rest := c.Args[6:]; len(rest) > 0; rest = rest[1:] {
		switch {
		case len(rest) > 1 && parse.IsToken(rest[0], "count"):
			rest = rest[1:]
			if count, ok = parse.Int(rest[0]); !ok || count < 1 || count > math.MaxInt64/16 {
				return reply.Err("ERR COUNT must be > 0")
			}
		case parse.IsToken(rest[0], "justid"):
			x.justID = true
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	if bad, ok := x.found(); !ok {
		return bad
	}
	x.begin()
	next, deleted := x.sweep(start, count)
	return reply.Array(streamID(next), reply.Array(x.out...), reply.Array(deleted...))
}

// sweepFactor limits the entries that one XAUTOCLAIM reads: to that many times its count.
const sweepFactor = 10

// sweep claims up to count pending entries from start on. It returns the id for the next call, 0-0
// at the end, and the ids of entries that were deleted from the stream.
func (x *claim) sweep(start datastore.StreamID, count int64) (next datastore.StreamID, deleted []reply.Value) {
	p, more := x.g.NextPending(start)
	for attempts := count * sweepFactor; more && attempts > 0 && count > 0; attempts-- {
		if !x.s.Has(p.ID) {
			x.forget(p.ID, p.ID.String())
			deleted = append(deleted, streamID(p.ID))
			count--
		} else if x.take(p, true, p.ID.String()) {
			count--
		}
		after, ok := p.ID.Next()
		if !ok {
			return datastore.StreamID{}, deleted
		}
		p, more = x.g.NextPending(after)
	}
	if !more {
		return datastore.StreamID{}, deleted
	}
	return p.ID, deleted
}
