package streamcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// entryReplies makes the replies for entries; its buffer is used again for each.
type entryReplies struct {
	pairs []string
}

// value returns an entry as a reply: its id, and its fields and values.
func (r *entryReplies) value(e *datastore.StreamEntry) reply.Value {
	r.pairs = e.AppendPairs(r.pairs[:0])
	vs := make([]reply.Value, len(r.pairs)+2)
	for i, p := range r.pairs {
		vs[i+2] = reply.Bulk(p)
	}
	vs[0], vs[1] = streamID(e.ID), reply.Array(vs[2:]...)
	return reply.Array(vs[:2:2]...)
}

// streamRange returns up to count entries (0: all) from start to end.
func streamRange(s *datastore.Stream, start, end datastore.StreamID, count int64, rev bool) []reply.Value {
	var out []reply.Value
	var r entryReplies
	add := func(e *datastore.StreamEntry) bool {
		out = append(out, r.value(e))
		return count <= 0 || int64(len(out)) < count
	}
	if rev {
		s.RevRange(start, end, add)
	} else {
		s.Range(start, end, add)
	}
	return out
}

// streamEntry returns the entry of id; ok is false when there is none.
func streamEntry(s *datastore.Stream, id datastore.StreamID) (v reply.Value, ok bool) {
	if vs := streamRange(s, id, id, 1, false); len(vs) > 0 {
		return vs[0], true
	}
	return v, false
}

func xrange(c *server.Ctx) reply.Value    { return rangeOf(c, c.Args[2], c.Args[3], false) }
func xrevrange(c *server.Ctx) reply.Value { return rangeOf(c, c.Args[3], c.Args[2], true) }

func rangeOf(c *server.Ctx, startArg, endArg string, rev bool) reply.Value {
	start, bad, ok := parseStart(startArg)
	if !ok {
		return bad
	}
	end, bad, ok := parseEndID(endArg)
	if !ok {
		return bad
	}
	count := int64(-1)
	for rest := c.Args[4:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 || !parse.IsToken(rest[0], "count") {
			return reply.Err(errtext.Syntax)
		}
		if count, ok = parse.Int(rest[1]); !ok {
			return reply.Err(errtext.NotInteger)
		}
		count = max(0, count)
	}
	s, err := readStream(c, c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Array()
	case count == 0:
		return reply.NilArray()
	}
	return reply.Array(streamRange(s, start, end, count, rev)...)
}
