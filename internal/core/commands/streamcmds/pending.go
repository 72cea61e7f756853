package streamcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func xack(c *server.Ctx) reply.Value {
	s, err := readStream(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	g := s.Group(c.Args[2])
	if g == nil {
		return reply.Int(0)
	}
	var few [16]datastore.StreamID
	ids, ok := parseIDs(few[:0], c.Args[3:])
	if !ok {
		return reply.Err(errStreamID)
	}
	n := int64(0)
	for _, id := range ids {
		if g.Ack(id) {
			n++
		}
	}
	c.DB.AddDirty(n)
	return reply.Int(n)
}

// xpendingArgs are the arguments of XPENDING's long form.
type xpendingArgs struct {
	start, end  datastore.StreamID
	count, idle int64
	consumer    string
	named       bool
}

func (x *xpendingArgs) parse(args []string) (errReply reply.Value, ok bool) {
	if parse.IsToken(args[0], "idle") {
		if x.idle, ok = parse.Int(args[1]); !ok {
			return reply.Err(errtext.NotInteger), false
		}
		if args = args[2:]; len(args) < 3 {
			return reply.Err(errtext.Syntax), false
		}
	}
	if x.count, ok = parse.Int(args[2]); !ok {
		return reply.Err(errtext.NotInteger), false
	}
	if x.start, errReply, ok = parseStart(args[0]); !ok {
		return errReply, false
	}
	if x.end, errReply, ok = parseEndID(args[1]); !ok {
		return errReply, false
	}
	if len(args) > 3 {
		x.consumer, x.named = args[3], true
	}
	return reply.Value{}, true
}

func xpending(c *server.Ctx) reply.Value {
	short := len(c.Args) == 3
	if !short && (len(c.Args) < 6 || len(c.Args) > 9) {
		return reply.Err(errtext.Syntax)
	}
	var x xpendingArgs
	if !short {
		if bad, ok := x.parse(c.Args[3:]); !ok {
			return bad
		}
	}
	s, err := readStream(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil || s.Group(c.Args[2]) == nil {
		return noGroup(c.Args[1], c.Args[2])
	}
	g := s.Group(c.Args[2])
	if short {
		return pendingSummary(g)
	}
	return x.list(c, g)
}

// pendingSummary returns the number of pending entries, the first and the last id, and the number
// for each consumer.
func pendingSummary(g *datastore.StreamGroup) reply.Value {
	if g.Pending() == 0 {
		return reply.Array(reply.Int(0), reply.Nil(), reply.Nil(), reply.NilArray())
	}
	var consumers []reply.Value
	for _, consumer := range g.Consumers() {
		if n := consumer.Pending(); n > 0 {
			consumers = append(consumers, reply.Array(reply.Bulk(consumer.Name()), reply.Bulk(strconv.Itoa(n))))
		}
	}
	first, last := g.PendingBounds()
	return reply.Array(reply.Int(int64(g.Pending())), streamID(first), streamID(last), reply.Array(consumers...))
}

// list returns the pending entries.
func (x *xpendingArgs) list(c *server.Ctx, g *datastore.StreamGroup) reply.Value {
	var consumer *datastore.StreamConsumer
	if x.named {
		if consumer = g.Consumer(x.consumer); consumer == nil {
			return reply.Array()
		}
	}
	var out []reply.Value
	if x.count <= 0 {
		return reply.Array()
	}
	g.EachPending(consumer, x.start, x.end, func(p datastore.StreamPending) bool {
		idle := c.Now() - p.At
		if x.idle != 0 && idle < x.idle {
			return true
		}
		out = append(out, reply.Array(streamID(p.ID), reply.Bulk(p.Consumer.Name()), reply.Int(max(0, idle)), reply.Int(int64(p.Count))))
		return int64(len(out)) < x.count
	})
	return reply.Array(out...)
}
