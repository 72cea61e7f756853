package streamcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The replies of XDELEX and XACKDEL for each id.
const (
	entryNotFound = -1
	entryDeleted  = 1
	entryReferred = 2 // it stays, because a group refers to it
)

// deleteArgs are the arguments of XDELEX and XACKDEL.
type deleteArgs struct {
	refs datastore.StreamRefs
	ids  []string
}

// parse reads the options. The last IDS counts.
func (d *deleteArgs) parse(args []string) (errReply reply.Value, ok bool) {
	refs := false
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case !refs && parseRefs(a, &d.refs):
			refs = true
		case len(args) > 1 && parse.IsToken(a, "ids"):
			n, ok := parse.Int(args[1])
			if !ok || n <= 0 {
				return reply.Err("ERR Number of IDs must be a positive integer"), false
			}
			if n > int64(len(args)-2) {
				return reply.Err("ERR The `numids` parameter must match the number of arguments"), false
			}
			d.ids = args[2 : 2+n]
			args = args[1+n:]
		default:
			return reply.Err(errtext.Syntax), false
		}
	}
	return reply.Value{}, true
}

// deleteEntries runs XDELEX or XACKDEL: one is called for each id and returns its reply.
func deleteEntries(c *server.Ctx, options int, group bool, one func(s *datastore.Stream, g *datastore.StreamGroup, d *deleteArgs,
	id datastore.StreamID) (code int64)) reply.Value {
	read := c.DB.Stream
	if group {
		read = func(key string) (*datastore.Stream, error) { return readStream(c, key) } // it counts for INFO
	}
	s, err := read(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	var d deleteArgs
	if bad, ok := d.parse(c.Args[options:]); !ok {
		return bad
	}
	out := make([]reply.Value, len(d.ids))
	var g *datastore.StreamGroup
	if s != nil && group {
		g = s.Group(c.Args[2])
	}
	if s == nil || group && g == nil {
		for i := range out {
			out[i] = reply.Int(entryNotFound)
		}
		return reply.Array(out...)
	}
	var few [16]datastore.StreamID
	ids, ok := parseIDs(few[:0], d.ids)
	if !ok {
		return reply.Err(errStreamID)
	}
	for i, id := range ids {
		out[i] = reply.Int(one(s, g, &d, id))
	}
	return reply.Array(out...)
}

func xdelex(c *server.Ctx) reply.Value {
	n := int64(0)
	v := deleteEntries(c, 2, false, func(s *datastore.Stream, _ *datastore.StreamGroup, d *deleteArgs, id datastore.StreamID) int64 {
		switch d.refs {
		case datastore.AckedStreamRefs:
			if s.Referenced(id) {
				return entryReferred
			}
		case datastore.DropStreamRefs:
			s.DropRefs(id) // as in Redis, even if the entry does not exist; that alone does not count
		}
		if s.Delete([]datastore.StreamID{id}) == 0 {
			return entryNotFound
		}
		n++
		return entryDeleted
	})
	streamChanged(c, "xdel", n)
	return v
}

func xackdel(c *server.Ctx) reply.Value {
	acked, deleted := int64(0), int64(0)
	v := deleteEntries(c, 3, true, func(s *datastore.Stream, g *datastore.StreamGroup, d *deleteArgs, id datastore.StreamID) int64 {
		if !g.Ack(id) {
			return entryNotFound
		}
		acked++
		switch d.refs {
		case datastore.AckedStreamRefs:
			if s.Referenced(id) {
				return entryReferred
			}
		case datastore.DropStreamRefs:
			s.DropRefs(id)
		}
		deleted += int64(s.Delete([]datastore.StreamID{id}))
		return entryDeleted
	})
	if deleted > 0 {
		c.Emit(datastore.ClassStream, "xdel", c.Args[1])
		acked--
	}
	c.DB.AddDirty(acked)
	return v
}
