package clustercmds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// clusterSlotStats replies with the number of keys of slots of this node: those of a range, or
// those with the most or the fewest keys.
func clusterSlotStats(c *server.Ctx) reply.Value {
	switch {
	case c.NArg() == 5 && parse.IsToken(c.Args[2], "slotsrange"):
		return slotStatsOfRange(c)
	case parse.IsToken(c.Args[2], "orderby"):
		return slotStatsInOrder(c)
	}
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLUSTER HELP.", errtext.OneLine(c.Args[1]))
}

// slotStats are the figures of a slot.
type slotStats struct{ slot, keys int }

func statsOf(c *server.Ctx, first, last int) []slotStats {
	var list []slotStats
	for slot := first; slot <= last; slot++ {
		if c.Server.Cluster.Owns(slot) {
			list = append(list, slotStats{slot, c.Server.CountKeysInSlot(slot)})
		}
	}
	return list
}

func slotStatsReply(list []slotStats) reply.Value {
	out := make([]reply.Value, 0, len(list))
	for _, s := range list {
		out = append(out, reply.Array(reply.Int(int64(s.slot)), reply.Map(reply.Bulk("key-count"), reply.Int(int64(s.keys)))))
	}
	return reply.Array(out...)
}

func slotStatsOfRange(c *server.Ctx) reply.Value {
	first, ok := parse.Slot(c.Args[3])
	if !ok {
		return reply.Err(errtext.BadSlot)
	}
	last, ok := parse.Slot(c.Args[4])
	if !ok {
		return reply.Err(errtext.BadSlot)
	}
	if first > last {
		return reply.Errorf("ERR Start slot number %d is greater than end slot number %d", first, last)
	}
	return slotStatsReply(statsOf(c, first, last))
}

func slotStatsInOrder(c *server.Ctx) reply.Value {
	if !strings.EqualFold(c.Args[3], "key-count") {
		return reply.Err("ERR Unrecognized sort metric for ORDERBY.")
	}
	limit, limits, orders, ascending := int64(datastore.Slots), 0, 0, false
	for rest := c.Args[4:]; len(rest) > 0; {
		switch {
		case len(rest) > 1 && parse.IsToken(rest[0], "limit"):
			n, ok := parse.Int(rest[1])
			if !ok || n < 1 || n > datastore.Slots {
				return reply.Err("ERR Limit has to lie in between 1 and 16384 (maximum number of slots).")
			}
			limit, rest = n, rest[2:]
			limits++
		case parse.IsToken(rest[0], "asc"), parse.IsToken(rest[0], "desc"):
			ascending, rest = parse.IsToken(rest[0], "asc"), rest[1:]
			orders++
		default:
			return reply.Err(errtext.Syntax)
		}
		if limits > 1 || orders > 1 {
			return reply.Err("ERR Multiple filters of the same type are disallowed.")
		}
	}
	list := statsOf(c, 0, datastore.Slots-1)
	slices.SortStableFunc(list, func(a, b slotStats) int {
		if ascending {
			return cmp.Compare(a.keys, b.keys)
		}
		return cmp.Compare(b.keys, a.keys)
	})
	return slotStatsReply(list[:min(int(limit), len(list))])
}
