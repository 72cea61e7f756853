package streamcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// XREADGROUP with CLAIM reads the entries that have been pending for long, of any consumer, before
// new ones. Each entry of the reply has two fields more: how long it was idle in ms, and how often
// it had been delivered before.

// serveIdle is serveGroup for an ID > with CLAIM. more says that there are new entries.
func (x *xreadArgs) serveIdle(c *server.Ctx, i int, s *datastore.Stream, g *datastore.StreamGroup, more bool) (v reply.Value, ok bool) {
	key, now := x.keys[i], c.Now()
	var idle []datastore.StreamPending
	var out []reply.Value
	for _, p := range g.Idle(now - x.minIdle) {
		if x.count > 0 && int64(len(out)) >= x.count {
			break
		}
		if entry, there := streamEntry(s, p.ID); there { // a deleted entry stays pending
			out = append(out, withDelivery(entry, max(0, now-p.At), int64(p.Count)))
			idle = append(idle, p)
		}
	}
	more = more && (x.count == 0 || int64(len(out)) < x.count)
	if len(idle) == 0 && !more {
		return v, false
	}
	consumer := x.reader(c, key, g)
	c.DB.AddDirty(1)
	for _, p := range idle {
		g.Assign(consumer, p.ID, now, p.Count+1)
		claimEffect(c, key, g, p.ID, p.ID.String(), g.LastID())
	}
	if len(idle) > 0 {
		g.Activate(consumer)
	}
	if more {
		out = x.deliver(c, key, s, g, consumer, out)
	}
	return reply.Array(out...), true
}

// nextIdle is the time in ms at which the next pending entry of the groups will have been idle for
// long enough, or 0.
func (x *xreadArgs) nextIdle(c *server.Ctx) (next int64) {
	if x.minIdle < 0 {
		return 0
	}
	for i, key := range x.keys {
		s, _ := c.DB.Stream(key)
		if s == nil || x.ids[i] != datastore.MaxStreamID {
			continue
		}
		g := s.Group(x.group)
		if g == nil {
			continue
		}
		if at, ok := g.DeliveredAfter(c.Now() - x.minIdle); ok && (next == 0 || at+x.minIdle < next) {
			next = at + x.minIdle
		}
	}
	return next
}

// withDelivery returns an entry with its idle time and its number of deliveries.
func withDelivery(entry reply.Value, idle, count int64) reply.Value {
	parts := entry.Slice()
	return reply.Array(parts[0], parts[1], reply.Int(idle), reply.Int(count))
}
