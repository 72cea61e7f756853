package streamcmds

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// xreadArgs are the arguments of XREAD and XREADGROUP.
type xreadArgs struct {
	keys            []string
	ids             []datastore.StreamID // read the entries behind these; MaxStreamID with a group: new entries
	group, consumer string
	grouped         bool // XREADGROUP
	noack           bool
	newest          []bool // XREAD: read only the last entry; nil if no ID is +
	count           int64  // of entries of one stream; 0 for all
	timeout         int64  // ms, 0 for ever; -1 not to wait
	minIdle         int64  // CLAIM: ms; -1 not to claim
	claims          bool   // entries of the stream that is being read are claimed
}

func xread(c *server.Ctx) reply.Value { return readStreams(c, xreadArgs{minIdle: -1}) }

func xreadgroup(c *server.Ctx) reply.Value {
	return readStreams(c, xreadArgs{minIdle: -1, grouped: true})
}

func readStreams(c *server.Ctx, x xreadArgs) reply.Value {
	if bad, ok := x.parse(c); !ok {
		return bad
	}
	if v, ok := x.serveAll(c); ok {
		return v
	}
	if x.timeout < 0 {
		return reply.NilArray()
	}
	if c.Door.MayWait() {
		x.keys = slices.Clone(x.keys) // Args is reused after the command
	}
	return c.Block(x.timeout, reply.NilArray(), server.BlockOptions{
		On: datastore.TypeStream, Keys: x.keys, Late: reply.NilArray(), Serve: x.serveWaiting, UnblockOnNoKey: true, Retry: x.nextIdle(c),
	})
}

// serveAgain is serveWaiting of servers that run the whole command again.
func (x *xreadArgs) serveAgain(c *server.Ctx) (v reply.Value, ok bool) {
	for _, key := range x.keys {
		s, err := c.DB.Stream(key)
		if err != nil {
			return server.WrongType(), true
		}
		if x.grouped && (s == nil || s.Group(x.group) == nil) {
			return x.noGroup(key), true
		}
	}
	if v, ok = x.serveAll(c); !ok {
		c.RetryAt(x.nextIdle(c))
	}
	return v, ok
}

// noGroup is the error for a key without the group.
func (x *xreadArgs) noGroup(key string) reply.Value {
	return reply.Err(errtext.OneLine("NOGROUP No such key '" + parse.CString(key) + "' or consumer group '" + parse.CString(x.group) +
		"' in XREADGROUP with GROUP option"))
}

// serveWaiting replies with one of the streams that the command waits for, if it has a new entry.
// XREADGROUP gets an error when the stream or the group does not exist any more.
func (x *xreadArgs) serveWaiting(c *server.Ctx, key string) (v reply.Value, ok bool) {
	if c.Has(servers.RunsAgain) {
		return x.serveAgain(c)
	}
	i := slices.Index(x.keys, key)
	s, _ := c.DB.Stream(key)
	after := x.ids[i]
	switch {
	case s == nil && x.grouped:
		return reply.Err("UNBLOCKED the stream key no longer exists"), true
	case s == nil:
		return v, false
	case x.grouped:
		g := s.Group(x.group)
		if g == nil {
			return reply.Err("NOGROUP the consumer group this client was blocked on no longer exists"), true
		}
		after = g.LastID()
	}
	if !after.Before(s.LastID()) {
		return v, false
	}
	if x.grouped {
		g := s.Group(x.group)
		consumer := x.reader(c, key, g)
		v = reply.Array(x.deliver(c, key, s, g, consumer, nil)...)
		c.NoEffect()
	} else {
		start, _ := after.Next()
		v = reply.Array(streamRange(s, start, datastore.MaxStreamID, x.count, false)...)
	}
	return x.reply(c, []reply.Value{reply.Bulk(key), v}), true
}

// parse reads the arguments and looks up the streams and groups. When ok is false the reply is the
// error.
func (x *xreadArgs) parse(c *server.Ctx) (errReply reply.Value, ok bool) {
	x.timeout = -1
	named := false
	for i := 1; i < len(c.Args); i++ {
		more := len(c.Args) - 1 - i
		switch a := c.Args[i]; {
		case more > 0 && parse.IsToken(a, "block"):
			i++
			if c.Door.FromScript() && !c.Has(servers.WaitingInScripts) {
				return reply.Err(errtext.OneLine("ERR " + parse.CString(c.Args[0]) + " command is not allowed with BLOCK option from scripts")), false
			}
			if x.timeout, errReply, ok = parse.TimeoutMillis(c.Args[i], c.LongestTimeout()); !ok {
				return errReply, false
			}
		case more > 0 && parse.IsToken(a, "count"):
			i++
			if x.count, ok = parse.Int(c.Args[i]); !ok {
				return reply.Err(errtext.NotInteger), false
			}
			x.count = max(0, x.count)
		case more > 0 && parse.IsToken(a, "streams"):
			if more%2 != 0 {
				return reply.Err(x.unbalanced().Of(c.Spec.Server)), false
			}
			i += more
			x.keys = c.Args[len(c.Args)-more : len(c.Args)-more/2]
		case more > 1 && parse.IsToken(a, "group"):
			if !x.grouped {
				return reply.Err("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."), false
			}
			x.group, x.consumer, named = c.Args[i+1], c.Args[i+2], true
			i += 2
		case parse.IsToken(a, "noack"):
			if !x.grouped {
				return reply.Err("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."), false
			}
			x.noack = true
		case more > 0 && c.Has(servers.ReadsIdle) && parse.IsToken(a, "claim"):
			if !x.grouped {
				return reply.Err("ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead."), false
			}
			i++
			if x.minIdle, ok = parse.Int(c.Args[i]); !ok {
				return reply.Err("ERR min-idle-time is not an integer or out of range"), false
			}
			if x.minIdle < 0 {
				return reply.Err("ERR min-idle-time must be a positive integer"), false
			}
		default:
			return reply.Err(errtext.Syntax), false
		}
	}
	switch {
	case x.keys == nil:
		return reply.Err(errtext.Syntax), false
	case x.grouped && !named:
		return reply.Err("ERR Missing GROUP option for XREADGROUP"), false
	}
	return x.parseIDs(c)
}

// unbalanced is the error for keys without IDs.
func (x *xreadArgs) unbalanced() errtext.Text {
	if x.grouped {
		return unbalancedInGroup
	}
	return unbalancedKeys
}

var (
	unbalancedKeys = errtext.Usual(usualUnbalanced).
			Since("7.2.0", "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.").
			Since("7.4.0/-", "ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', or '$' must be specified.")
	unbalancedInGroup = errtext.Usual(usualUnbalanced).
				Since("7.2.0", "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.")
)

const usualUnbalanced = "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified."

// parseIDs reads the ids behind the keys.
func (x *xreadArgs) parseIDs(c *server.Ctx) (errReply reply.Value, ok bool) {
	x.ids = make([]datastore.StreamID, len(x.keys))
	for i, arg := range c.Args[len(c.Args)-len(x.keys):] {
		s, err := readStream(c, x.keys[i])
		if err != nil {
			return server.WrongType(), false
		}
		if x.grouped && (s == nil || s.Group(x.group) == nil) {
			return x.noGroup(x.keys[i]), false
		}
		switch id := &x.ids[i]; parse.CString(arg) {
		case "$":
			if x.grouped {
				return meaningless("$"), false
			}
			if s != nil {
				*id = s.LastID()
			}
		case ">":
			if !x.grouped {
				return reply.Err("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option."), false
			}
			*id = datastore.MaxStreamID
		default:
			if c.Has(servers.ReadsLastEntry) && parse.CString(arg) == "+" {
				if x.grouped {
					return meaningless("+"), false
				}
				if x.newest == nil {
					x.newest = make([]bool, len(x.keys))
				}
				x.newest[i] = true
				continue
			}
			if *id, ok = parse.StreamID(arg, 0); !ok {
				return reply.Err(errStreamID), false
			}
		}
	}
	return reply.Value{}, true
}

// meaningless is the error of XREADGROUP for an ID that only XREAD has.
func meaningless(id string) reply.Value {
	return reply.Err("ERR The " + id + " ID is meaningless in the context of XREADGROUP: you want to read the history of " +
		"this consumer by specifying a proper ID, or use the > ID to get new messages. The " + id + " ID would just " +
		"return an empty result set.")
}

// serveAll replies with the present entries of all streams; ok is false when there are none.
func (x *xreadArgs) serveAll(c *server.Ctx) (v reply.Value, ok bool) {
	var out []reply.Value
	x.claims = x.minIdle >= 0
	for i := range x.keys {
		if entries, ok := x.serve(c, i); ok {
			out = append(out, reply.Bulk(x.keys[i]), entries)
		}
	}
	return x.reply(c, out), len(out) > 0
}

// reply builds the reply from alternating keys and entries, in the form of the protocol.
func (x *xreadArgs) reply(c *server.Ctx, out []reply.Value) reply.Value {
	if c.Proto > 2 {
		return reply.Map(out...)
	}
	for i := 0; i < len(out); i += 2 {
		out[i/2] = reply.Array(out[i], out[i+1])
	}
	return reply.Array(out[:len(out)/2]...)
}

// serve returns the entries of stream i; ok is false when there are none.
func (x *xreadArgs) serve(c *server.Ctx, i int) (v reply.Value, ok bool) {
	s, _ := readStream(c, x.keys[i])
	if s == nil {
		return v, false
	}
	if x.grouped {
		return x.serveGroup(c, i, s)
	}
	if x.newest != nil && x.newest[i] {
		last := streamRange(s, datastore.StreamID{}, datastore.MaxStreamID, 1, true)
		if len(last) == 0 || !c.Has(servers.ReadsLastLeft) && !s.Has(s.LastID()) {
			return v, false
		}
		return reply.Array(last...), true
	}
	if s.Len() == 0 || !x.ids[i].Before(s.Top()) {
		return v, false
	}
	start, _ := x.ids[i].Next()
	return reply.Array(streamRange(s, start, datastore.MaxStreamID, x.count, false)...), true
}

// serveGroup is serve for a group: it returns new entries, or pending entries of the consumer.
func (x *xreadArgs) serveGroup(c *server.Ctx, i int, s *datastore.Stream) (v reply.Value, ok bool) {
	g, fresh := s.Group(x.group), x.ids[i] == datastore.MaxStreamID
	c.NoEffect() // what it changes has effects of its own
	if c.Has(servers.ConsumerSeenFirst) {
		x.reader(c, x.keys[i], g) // it was active, even if there is nothing for it
	}
	none := s.Len() == 0 || !g.LastID().Before(s.LastID()) || !g.LastID().Before(s.Top())
	if fresh && x.claims {
		return x.serveIdle(c, i, s, g, !none)
	}
	if fresh && none {
		return v, false
	}
	consumer := x.reader(c, x.keys[i], g)
	if fresh {
		c.DB.AddDirty(1)
		return reply.Array(x.deliver(c, x.keys[i], s, g, consumer, nil)...), true
	}
	if !c.Has(servers.HistoryUncounted) {
		c.DB.AddDirty(1)
	}
	x.claims = false // as in Redis, for all streams that follow
	start, _ := x.ids[i].Next()
	return x.history(c, s, g, consumer, start), true
}

// reader finds or creates the consumer of XREADGROUP. Without NOACK the effects of what it gets
// create it too.
func (x *xreadArgs) reader(c *server.Ctx, key string, g *datastore.StreamGroup) *datastore.StreamConsumer {
	if x.noack && g.Consumer(x.consumer) == nil {
		c.AddEffect("XGROUP", "CREATECONSUMER", key, g.Name(), x.consumer)
	}
	return streamConsumer(c, key, g, x.consumer)
}

// streamConsumer finds or creates a consumer, and sets when it was last seen.
func streamConsumer(c *server.Ctx, key string, g *datastore.StreamGroup, name string) *datastore.StreamConsumer {
	if consumer := g.Consumer(name); consumer != nil {
		g.Touch(consumer)
		return consumer
	}
	consumer := g.CreateConsumer(name)
	c.EmitUnwatched(datastore.ClassStream, "xgroup-createconsumer", key)
	return consumer
}

// deliver gives new entries of the group to a consumer. out has what it gets before them.
func (x *xreadArgs) deliver(c *server.Ctx, key string, s *datastore.Stream, g *datastore.StreamGroup,
	consumer *datastore.StreamConsumer, out []reply.Value) []reply.Value {
	last := g.LastID()
	start, _ := last.Next()
	now := c.Now()
	if out == nil {
		out = make([]reply.Value, 0, min(x.count, int64(s.Len()), 64))
	}
	before := len(out)
	var r entryReplies
	setGroup, movesLast := x.noack || c.Has(servers.ReadsSetGroup), c.Has(servers.ReadsSetGroupLast)
	s.Range(start, datastore.MaxStreamID, func(e *datastore.StreamEntry) bool {
		g.Delivered(e.ID)
		if !movesLast {
			last = g.LastID()
		}
		if !x.noack {
			g.Assign(consumer, e.ID, now, 1)
			claimEffect(c, key, g, e.ID, e.ID.String(), last)
		}
		v := r.value(e)
		if x.claims {
			v = withDelivery(v, 0, 0)
		}
		out = append(out, v)
		return x.count == 0 || int64(len(out)) < x.count
	})
	if n := len(out) - before; n > 0 {
		if !x.noack {
			g.Activate(consumer)
		}
		if setGroup {
			groupEffect(c, key, g)
		}
	}
	return out
}

// history returns the pending entries of a consumer; a deleted entry has no fields.
func (x *xreadArgs) history(c *server.Ctx, s *datastore.Stream, g *datastore.StreamGroup, consumer *datastore.StreamConsumer,
	start datastore.StreamID) reply.Value {
	var out []reply.Value
	var again []datastore.StreamPending
	g.EachPending(consumer, start, datastore.MaxStreamID, func(p datastore.StreamPending) bool {
		v, there := streamEntry(s, p.ID)
		if there {
			again = append(again, p)
		} else {
			v = reply.Array(streamID(p.ID), reply.NilArray())
		}
		out = append(out, v)
		return x.count == 0 || int64(len(out)) < x.count
	})
	for _, p := range again {
		g.Assign(consumer, p.ID, c.Now(), p.Count+1)
	}
	return reply.Array(out...)
}
