package clustercmds

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// This node has no other to move slots to or from: there is never a migration.

// listMigrations runs CLUSTER GETSLOTMIGRATIONS.
func listMigrations(*server.Ctx) reply.Value { return reply.Array() }

// cancelMigrations runs CLUSTER CANCELSLOTMIGRATIONS.
func cancelMigrations(*server.Ctx) reply.Value { return reply.Err("ERR No migrations ongoing") }

// migrateSlots runs CLUSTER MIGRATESLOTS as far as the first node: no name of a node is right.
func migrateSlots(c *server.Ctx) reply.Value {
	if !parse.IsToken(c.Args[2], "slotsrange") {
		return reply.Err(errtext.Syntax)
	}
	var ranges [][2]int
	rest := c.Args[3:]
	for len(rest) > 0 {
		if _, number := parse.Int(rest[0]); !number {
			break
		}
		if len(rest) == 1 {
			return reply.Err("ERR No end slot for final slot range")
		}
		first, ok := parse.Slot(rest[0])
		last, okLast := parse.Slot(rest[1])
		switch {
		case !ok || !okLast:
			return reply.Err(errtext.BadSlot)
		case first > last:
			return reply.Errorf("ERR Start slot number %d is greater than end slot number %d.", first, last)
		}
		for _, r := range ranges {
			if first <= r[1] && r[0] <= last {
				return reply.Errorf("ERR Slot range %d-%d overlaps with previous range %d-%d.", first, last, r[0], r[1])
			}
		}
		ranges, rest = append(ranges, [2]int{first, last}), rest[2:]
	}
	switch {
	case len(ranges) == 0:
		return reply.Err("ERR No slot ranges specified")
	case len(rest) < 2 || !parse.IsToken(rest[0], "node"):
		return reply.Err(errtext.Syntax)
	}
	return refuseTarget(c, ranges, rest[1])
}

// refuseTarget returns why slots cannot move to a node.
func refuseTarget(c *server.Ctx, ranges [][2]int, node string) reply.Value {
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			if !c.Server.Cluster.Owns(slot) {
				return reply.Errorf("ERR Slot %d has no node served.", slot)
			}
		}
	}
	shown := errtext.OneLine(errtext.Cut(node, len(node)))
	switch {
	case len(node) != nameLength:
		return reply.Err("ERR Invalid node name: " + shown)
	case isMe(c, node):
		return reply.Err("ERR Target node can not be this node.")
	}
	return reply.Err("ERR Unknown node name: " + shown)
}

// nameLength is the length of the name of a node.
const nameLength = 40

// migration runs CLUSTER MIGRATION.
func migration(c *server.Ctx) reply.Value {
	what := c.Args[2]
	switch cancel := parse.IsToken(what, "cancel"); {
	case parse.IsToken(what, "import"):
		return importSlots(c)
	case cancel || parse.IsToken(what, "status"):
		all, id := parse.IsToken(c.Args[3], "all"), parse.IsToken(c.Args[3], "id")
		switch {
		case all && c.NArg() != 4 || id && c.NArg() != 5:
			return reply.Err(cmdtable.ErrArity(c.Spec))
		case !all && !id:
			return reply.Err(errUnknownArgument)
		case cancel:
			return reply.Int(0)
		}
		return reply.Array()
	}
	return reply.Err(errUnknownArgument)
}

const errUnknownArgument = "ERR unknown argument"

// importSlots runs CLUSTER MIGRATION IMPORT. Each slot belongs to this node, or to none.
func importSlots(c *server.Ctx) reply.Value {
	if c.NArg()%2 == 0 {
		return reply.Err(cmdtable.ErrArity(c.Spec))
	}
	ranges, bad, ok := readRanges(c.Args[3:])
	if !ok {
		return bad
	}
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			switch cl := c.Server.Cluster; {
			case cl.Foreign(slot):
				return reply.Err(errFixedSlots)
			case !cl.Owns(slot):
				return reply.Errorf("ERR slot has no owner: %d", slot)
			}
		}
	}
	return reply.Err("ERR this node is already the owner of the slot range")
}

// readRanges reads ranges of slots, of which none may be named twice.
func readRanges(args []string) (ranges [][2]int, bad reply.Value, ok bool) {
	for i := 0; i < len(args); i += 2 {
		first, ok := parse.Slot(args[i])
		last, okLast := parse.Slot(args[i+1])
		switch {
		case !ok || !okLast:
			return nil, reply.Err(errtext.BadSlot), false
		case first > last:
			return nil, reply.Errorf("ERR start slot number %d is greater than end slot number %d", first, last), false
		}
		ranges = append(ranges, [2]int{first, last})
	}
	inOrder := slices.Clone(ranges)
	slices.SortFunc(inOrder, func(a, b [2]int) int { return a[0] - b[0] })
	for i := 1; i < len(inOrder); i++ {
		if slot := inOrder[i][0]; slot <= inOrder[i-1][1] {
			return nil, reply.Errorf("ERR Slot %d specified multiple times", slot), false
		}
	}
	return ranges, reply.Value{}, true
}

// syncSlots runs CLUSTER SYNCSLOTS, with which nodes move slots. Clients are refused.
func syncSlots(c *server.Ctx) reply.Value {
	if !c.Has(servers.SlotMoversAreClients) {
		if c.Door == cmdtable.DoorClient {
			c.Session.LeaveAfterReply()
		}
		return reply.Err("ERR CLUSTER SYNCSLOTS subcommands are only allowed for internal clients")
	}
	for _, word := range []string{"snapshot-eof", "request-pause", "paused", "request-failover", "failover-granted", "ack"} {
		if parse.IsToken(c.Args[2], word) {
			return reply.Err("ERR CLUSTER SYNCSLOTS " + strings.ToUpper(word) + " should only be used by slot migration clients")
		}
	}
	return reply.Err(errtext.Syntax)
}

// flushSlot runs CLUSTER FLUSHSLOT: it deletes the keys of a slot in all databases.
func flushSlot(c *server.Ctx) reply.Value {
	slot, ok := parse.Slot(c.Args[2])
	lazily := c.Server.Store.Limits().LazyFree.Flush
	switch {
	case c.NArg() > 4:
		return clusterArity(c)
	case !ok:
		return reply.Err(errtext.BadSlot)
	case c.NArg() == 3:
	case parse.IsToken(c.Args[3], "sync"), parse.IsToken(c.Args[3], "async"):
		lazily = parse.IsToken(c.Args[3], "async")
	default:
		return reply.Err(errtext.Syntax)
	}
	c.Server.DropKeysInSlot(slot, func(db *datastore.DB, key string) {
		db.Remove(key, lazily)
		db.Emit(datastore.ClassGeneric, "del", key)
	})
	return reply.OK()
}

// trimSlots runs TRIMSLOTS: it deletes the keys of slots that this node does not own, without
// events. A replica, and a file that is loaded, obey also if the node owns the slots now.
func trimSlots(c *server.Ctx) reply.Value {
	if !parse.IsToken(c.Args[1], "ranges") {
		return reply.Err("ERR missing ranges argument")
	}
	n, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case n < 1 || n > datastore.Slots || int(n)*2 != c.NArg()-3:
		return reply.Err("ERR invalid number of ranges")
	}
	ranges, bad, ok := readRanges(c.Args[3:])
	if !ok {
		return bad
	}
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			if c.Server.Cluster.Owns(slot) && !c.Session.MustObey {
				return reply.Errorf("ERR the slot %d is served by this node", slot)
			}
		}
	}
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			c.Server.DropKeysInSlot(slot, func(db *datastore.DB, key string) { db.Remove(key, true) })
		}
	}
	c.ForceEffect(server.ToAll)
	return reply.OK()
}
