package streamcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// infoStream looks up the stream of an XINFO subcommand. When s is nil the reply is the error.
func infoStream(c *server.Ctx) (s *datastore.Stream, errReply reply.Value) {
	s, err := readStream(c, c.Args[2])
	if err != nil {
		return nil, server.WrongType()
	}
	return s, reply.Err(errtext.NoSuchKey)
}

func xinfoStream(c *server.Ctx) reply.Value {
	s, bad := infoStream(c)
	if s == nil {
		return bad
	}
	full, count := len(c.Args) > 3, int64(10)
	if full {
		opts := c.Args[3:]
		if len(opts) != 1 && len(opts) != 3 || !parse.IsToken(opts[0], "full") || len(opts) == 3 && !parse.IsToken(opts[1], "count") {
			return badSubcommand(c)
		}
		if len(opts) == 3 {
			var ok bool
			if count, ok = parse.Int(opts[2]); !ok {
				return reply.Err(errtext.NotInteger)
			}
			if count < 0 {
				count = 10
			}
		}
	}
	fields := []reply.Value{
		reply.Bulk("length"), reply.Int(int64(s.Len())),
		reply.Bulk("radix-tree-keys"), reply.Int(int64(s.Nodes())),
		reply.Bulk("radix-tree-nodes"), reply.Int(int64(s.TreeNodes())),
		reply.Bulk("last-generated-id"), streamID(s.LastID()),
		reply.Bulk("max-deleted-entry-id"), streamID(s.MaxDeletedID()),
		reply.Bulk("entries-added"), reply.Int(int64(s.Added())),
		reply.Bulk("recorded-first-entry-id"), streamID(s.FirstID()),
	}
	if c.Has(servers.StreamProducers) {
		info := s.ProducersInfo()
		fields = append(fields,
			reply.Bulk("idmp-duration"), reply.Int(info.Duration),
			reply.Bulk("idmp-maxsize"), reply.Int(info.MaxSize),
			reply.Bulk("pids-tracked"), reply.Int(int64(info.Producers)),
			reply.Bulk("iids-tracked"), reply.Int(int64(info.IDs)),
			reply.Bulk("iids-added"), reply.Int(int64(info.Added)),
			reply.Bulk("iids-duplicates"), reply.Int(int64(info.Duplicates)),
		)
	}
	if full {
		var groups []reply.Value
		for _, g := range s.Groups() {
			groups = append(groups, fullGroup(c, g, count))
		}
		return reply.Map(append(fields,
			reply.Bulk("entries"), reply.Array(streamRange(s, datastore.StreamID{}, datastore.MaxStreamID, count, false)...),
			reply.Bulk("groups"), reply.Array(groups...))...)
	}
	edge := func(rev bool) (v reply.Value) {
		if vs := streamRange(s, datastore.StreamID{}, datastore.MaxStreamID, 1, rev); len(vs) > 0 {
			v = vs[0]
		}
		return v
	}
	return reply.Map(append(fields,
		reply.Bulk("groups"), reply.Int(int64(len(s.Groups()))),
		reply.Bulk("first-entry"), edge(false),
		reply.Bulk("last-entry"), edge(true))...)
}

// groupProgress returns the fields about how far a group has read.
func groupProgress(g *datastore.StreamGroup) []reply.Value {
	read, lag := reply.Nil(), reply.Nil()
	if n := g.Read(); n != datastore.StreamReadUnknown {
		read = reply.Int(n)
	}
	if n, ok := g.Lag(); ok {
		lag = reply.Int(n)
	}
	return []reply.Value{
		reply.Bulk("last-delivered-id"), streamID(g.LastID()),
		reply.Bulk("entries-read"), read,
		reply.Bulk("lag"), lag,
	}
}

// fullGroup describes a group with its first count pending entries (0: all), and its consumers with
// theirs.
func fullGroup(c *server.Ctx, g *datastore.StreamGroup, count int64) reply.Value {
	fields := append([]reply.Value{reply.Bulk("name"), reply.Bulk(g.Name())}, groupProgress(g)...)
	pending := pendingReplies(g, nil, count, func(p datastore.StreamPending) reply.Value {
		return reply.Array(streamID(p.ID), reply.Bulk(p.Consumer.Name()), reply.Int(p.At), reply.Int(int64(p.Count)))
	})
	var consumers []reply.Value
	for _, consumer := range g.Consumers() {
		own := pendingReplies(g, consumer, count, func(p datastore.StreamPending) reply.Value {
			return reply.Array(streamID(p.ID), reply.Int(p.At), reply.Int(int64(p.Count)))
		})
		fields := []reply.Value{
			reply.Bulk("name"), reply.Bulk(consumer.Name()),
			reply.Bulk("seen-time"), reply.Int(consumer.Seen()),
		}
		if c.Has(servers.ConsumerActivity) {
			fields = append(fields, reply.Bulk("active-time"), reply.Int(consumer.Active()))
		}
		consumers = append(consumers, reply.Map(append(fields,
			reply.Bulk("pel-count"), reply.Int(int64(consumer.Pending())),
			reply.Bulk("pending"), own,
		)...))
	}
	return reply.Map(append(fields,
		reply.Bulk("pel-count"), reply.Int(int64(g.Pending())),
		reply.Bulk("pending"), pending,
		reply.Bulk("consumers"), reply.Array(consumers...))...)
}

func pendingReplies(g *datastore.StreamGroup, consumer *datastore.StreamConsumer, count int64,
	f func(datastore.StreamPending) reply.Value) reply.Value {
	var out []reply.Value
	g.EachPending(consumer, datastore.StreamID{}, datastore.MaxStreamID, func(p datastore.StreamPending) bool {
		out = append(out, f(p))
		return count == 0 || int64(len(out)) < count
	})
	return reply.Array(out...)
}

func xinfoGroups(c *server.Ctx) reply.Value {
	s, bad := infoStream(c)
	if s == nil {
		return bad
	}
	var out []reply.Value
	for _, g := range s.Groups() {
		out = append(out, reply.Map(append([]reply.Value{
			reply.Bulk("name"), reply.Bulk(g.Name()),
			reply.Bulk("consumers"), reply.Int(int64(len(g.Consumers()))),
			reply.Bulk("pending"), reply.Int(int64(g.Pending())),
		}, groupProgress(g)...)...))
	}
	return reply.Array(out...)
}

func xinfoConsumers(c *server.Ctx) reply.Value {
	s, bad := infoStream(c)
	if s == nil {
		return bad
	}
	g := s.Group(c.Args[3])
	if g == nil {
		return noGroupOfKey(c.Args[3], c.Args[2])
	}
	var out []reply.Value
	for _, consumer := range g.Consumers() {
		fields := []reply.Value{
			reply.Bulk("name"), reply.Bulk(consumer.Name()),
			reply.Bulk("pending"), reply.Int(int64(consumer.Pending())),
			reply.Bulk("idle"), reply.Int(max(0, c.Now()-consumer.Seen())),
		}
		if c.Has(servers.ConsumerActivity) {
			inactive := int64(-1)
			if at := consumer.Active(); at >= 0 {
				inactive = max(0, c.Now()-at)
			}
			fields = append(fields, reply.Bulk("inactive"), reply.Int(inactive))
		}
		out = append(out, reply.Map(fields...))
	}
	return reply.Array(out...)
}

func xinfoHelp() server.Handler {
	return server.Help("XINFO",
		"CONSUMERS <key> <groupname>",
		"    Show consumers of <groupname>.",
		"GROUPS <key>",
		"    Show the stream consumer groups.",
		"STREAM <key> [FULL [COUNT <count>]",
		"    Show information about the stream.",
	)
}
