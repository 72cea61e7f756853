package clustercmds

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const errFixedSlots = "ERR slots cannot be moved: this node is alone"

func clusterAddSlots(c *server.Ctx) reply.Value { return changeSlots(c, true) }
func clusterDelSlots(c *server.Ctx) reply.Value { return changeSlots(c, false) }

// changeSlots gives slots to this node or takes them from it, all or none.
func changeSlots(c *server.Ctx, add bool) reply.Value {
	var ranges [][2]int
	for _, a := range c.Args[2:] {
		slot, ok := parse.Slot(a)
		if !ok {
			return reply.Err(errtext.BadSlot)
		}
		ranges = append(ranges, [2]int{slot, slot})
	}
	return changeRanges(c, ranges, add)
}

func clusterAddSlotsRange(c *server.Ctx) reply.Value { return changeSlotRanges(c, true) }
func clusterDelSlotsRange(c *server.Ctx) reply.Value { return changeSlotRanges(c, false) }

func changeSlotRanges(c *server.Ctx, add bool) reply.Value {
	if c.NArg()%2 != 0 {
		return reply.Err(cmdtable.ErrArity(c.Spec))
	}
	var ranges [][2]int
	for i := 2; i < c.NArg(); i += 2 {
		first, ok := parse.Slot(c.Args[i])
		if !ok {
			return reply.Err(errtext.BadSlot)
		}
		last, ok := parse.Slot(c.Args[i+1])
		if !ok {
			return reply.Err(errtext.BadSlot)
		}
		if first > last {
			return reply.Errorf("ERR start slot number %d is greater than end slot number %d", first, last)
		}
		ranges = append(ranges, [2]int{first, last})
	}
	return changeRanges(c, ranges, add)
}

// changeRanges changes the slots of ranges, whose ends are inclusive, after checking all of them.
func changeRanges(c *server.Ctx, ranges [][2]int, add bool) reply.Value {
	cl := c.Server.Cluster
	named := map[int]bool{}
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			switch {
			case add && (cl.Owns(slot) || cl.Foreign(slot)):
				return reply.Errorf("ERR Slot %d is already busy", slot)
			case !add && !cl.Owns(slot):
				return reply.Errorf("ERR Slot %d is already unassigned", slot)
			case named[slot]:
				return reply.Errorf("ERR Slot %d specified multiple times", slot)
			}
			named[slot] = true
		}
	}
	for slot := range datastore.Slots {
		switch {
		case !named[slot]:
		case add:
			cl.Own(slot)
		default:
			c.Server.DropSlot(slot)
		}
	}
	endUnserved(c.Server)
	return reply.OK()
}

func clusterFlushSlots(c *server.Ctx) reply.Value {
	if c.DB.Len() > 0 {
		return reply.Err("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.")
	}
	dropSlots(c)
	return reply.OK()
}

func dropSlots(c *server.Ctx) {
	for slot := range datastore.Slots {
		if c.Server.Cluster.Owns(slot) {
			c.Server.DropSlot(slot)
		}
	}
	endUnserved(c.Server)
}

// clusterReset resets the node: it has no slots and, after a hard reset, another name and no epoch.
func clusterReset(c *server.Ctx) reply.Value {
	hard := false
	switch {
	case c.NArg() > 3:
		return clusterArity(c)
	case c.NArg() == 3 && parse.IsToken(c.Args[2], "hard"):
		hard = true
	case c.NArg() == 3 && !parse.IsToken(c.Args[2], "soft"):
		return reply.Err(errtext.Syntax)
	}
	if c.DB.Len() > 0 {
		return reply.Err("ERR CLUSTER RESET can't be called with master nodes containing keys")
	}
	dropSlots(c)
	cl := c.Server.Cluster
	if hard {
		cl.Name, cl.Epoch, cl.Current = server.NewRunID(c.Server.Store), 0, 0
	} else if c.Has(servers.NewShardAfterReset) {
		cl.Shards++
	}
	return reply.OK()
}

// clusterSetSlot gives a slot to a node. There is only this node, so no slot can be migrating.
func clusterSetSlot(c *server.Ctx) reply.Value {
	cl := c.Server.Cluster
	slot, ok := parse.Slot(c.Args[2])
	if !ok {
		return reply.Err(errtext.BadSlot)
	}
	action, node := strings.ToLower(c.Args[3]), ""
	if c.NArg() > 4 {
		node = c.Args[4]
	}
	known := isMe(c, node)
	switch moving := action == "migrating" || action == "importing"; {
	case c.NArg() == 5 && moving:
		switch {
		case action == "migrating" && !cl.Owns(slot):
			return reply.Errorf("ERR I'm not the owner of hash slot %d", slot)
		case action == "importing" && cl.Owns(slot):
			return reply.Errorf("ERR I'm already the owner of hash slot %d", slot)
		case !known:
			return reply.Err("ERR I don't know about node " + errtext.OneLine(errtext.Cut(node, len(node))))
		}
		return reply.Err(errFixedSlots)
	case c.NArg() == 5 && action == "node":
		switch {
		case !known:
			return UnknownNode(node)
		case cl.Foreign(slot):
			return reply.Err(errFixedSlots)
		}
		c.Server.DropSlot(slot)
		cl.Own(slot)
	case c.NArg() != 4 || action != "stable":
		return reply.Err("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP")
	}
	return reply.OK()
}

func clusterBumpEpoch(c *server.Ctx) reply.Value {
	cl, word := c.Server.Cluster, "STILL"
	if cl.BumpEpoch() {
		word = "BUMPED"
	}
	return reply.Status(word + " " + strconv.FormatInt(cl.Epoch, 10))
}

func clusterSetConfigEpoch(c *server.Ctx) reply.Value {
	cl := c.Server.Cluster
	epoch, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case epoch < 0:
		return reply.Errorf("ERR Invalid config epoch specified: %d", epoch)
	case cl.Epoch != 0:
		return reply.Err("ERR Node config epoch is already non-zero")
	}
	cl.Epoch, cl.Current = epoch, max(cl.Current, epoch)
	return reply.OK()
}

// endUnserved ends the waits of blocked clients whose keys this node does not serve any more.
func endUnserved(s *server.Server) {
	for k, q := range s.Queues {
		problem := server.ErrClusterDown
		switch {
		case !s.ClusterUp():
		case !s.Cluster.Owns(datastore.Slot(k.Key)):
			problem = server.ErrSlotUnserved
		default:
			continue
		}
		for q.Head != nil {
			s.Unblock(q.Head.Client, reply.Err(problem))
		}
	}
}
