package command

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

const (
	errBadSlot    = "ERR Invalid or out of range slot"
	errFixedSlots = "ERR slots cannot be moved: this node is alone"
)

// parseSlot reads the number of a slot.
func parseSlot(arg string) (slot int, ok bool) {
	n, ok := parseInt(arg)
	return int(n), ok && n >= 0 && n < datastore.Slots
}

func clusterAddSlots(c *Ctx) reply.Value { return c.changeSlots(true) }
func clusterDelSlots(c *Ctx) reply.Value { return c.changeSlots(false) }

// changeSlots gives slots to this node or takes them, all or none.
func (c *Ctx) changeSlots(add bool) reply.Value {
	var ranges [][2]int
	for _, a := range c.Args[2:] {
		slot, ok := parseSlot(a)
		if !ok {
			return reply.Err(errBadSlot)
		}
		ranges = append(ranges, [2]int{slot, slot})
	}
	return c.changeRanges(ranges, add)
}

func clusterAddSlotsRange(c *Ctx) reply.Value { return c.changeSlotRanges(true) }
func clusterDelSlotsRange(c *Ctx) reply.Value { return c.changeSlotRanges(false) }

func (c *Ctx) changeSlotRanges(add bool) reply.Value {
	if c.NArg()%2 != 0 {
		return reply.Err(errArity(c.Spec))
	}
	var ranges [][2]int
	for i := 2; i < c.NArg(); i += 2 {
		first, ok := parseSlot(c.Args[i])
		if !ok {
			return reply.Err(errBadSlot)
		}
		last, ok := parseSlot(c.Args[i+1])
		if !ok {
			return reply.Err(errBadSlot)
		}
		if first > last {
			return reply.Errorf("ERR start slot number %d is greater than end slot number %d", first, last)
		}
		ranges = append(ranges, [2]int{first, last})
	}
	return c.changeRanges(ranges, add)
}

// changeRanges changes the slots of ranges with both ends in them, after it has checked all.
func (c *Ctx) changeRanges(ranges [][2]int, add bool) reply.Value {
	cl := c.Server.cluster
	named := map[int]bool{}
	for _, r := range ranges {
		for slot := r[0]; slot <= r[1]; slot++ {
			switch {
			case add && (cl.owns(slot) || cl.foreign(slot)):
				return reply.Errorf("ERR Slot %d is already busy", slot)
			case !add && !cl.owns(slot):
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
			cl.own(slot)
		default:
			c.Server.dropSlot(slot)
		}
	}
	c.Server.endUnserved()
	return reply.OK()
}

func clusterFlushSlots(c *Ctx) reply.Value {
	if c.DB.Len() > 0 {
		return reply.Err("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.")
	}
	c.dropSlots()
	return reply.OK()
}

func (c *Ctx) dropSlots() {
	for slot := range datastore.Slots {
		if c.Server.cluster.owns(slot) {
			c.Server.dropSlot(slot)
		}
	}
	c.Server.endUnserved()
}

// clusterReset makes the node new: without slots and, when it is hard, with another name and without an epoch.
func clusterReset(c *Ctx) reply.Value {
	hard := false
	switch {
	case c.NArg() > 3:
		return clusterArity(c)
	case c.NArg() == 3 && isToken(c.Args[2], "hard"):
		hard = true
	case c.NArg() == 3 && !isToken(c.Args[2], "soft"):
		return reply.Err(errSyntax)
	}
	if c.DB.Len() > 0 {
		return reply.Err("ERR CLUSTER RESET can't be called with master nodes containing keys")
	}
	c.dropSlots()
	if cl := c.Server.cluster; hard {
		cl.name, cl.epoch, cl.current = newRunID(c.Server.Store), 0, 0
	}
	return reply.OK()
}

// clusterSetSlot gives a slot to a node. There is none but this, so that no slot can be on its way between two.
func clusterSetSlot(c *Ctx) reply.Value {
	cl := c.Server.cluster
	slot, ok := parseSlot(c.Args[2])
	if !ok {
		return reply.Err(errBadSlot)
	}
	action, node := strings.ToLower(c.Args[3]), ""
	if c.NArg() > 4 {
		node = c.Args[4]
	}
	known := c.isMe(node)
	switch moving := action == "migrating" || action == "importing"; {
	case c.NArg() == 5 && moving:
		switch {
		case action == "migrating" && !cl.owns(slot):
			return reply.Errorf("ERR I'm not the owner of hash slot %d", slot)
		case action == "importing" && cl.owns(slot):
			return reply.Errorf("ERR I'm already the owner of hash slot %d", slot)
		case !known:
			return reply.Err("ERR I don't know about node " + oneLine(cut(node, len(node))))
		}
		return reply.Err(errFixedSlots)
	case c.NArg() == 5 && action == "node":
		switch {
		case !known:
			return unknownNode(node)
		case cl.foreign(slot):
			return reply.Err(errFixedSlots)
		}
		c.Server.dropSlot(slot)
		cl.own(slot)
	case c.NArg() != 4 || action != "stable":
		return reply.Err("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP")
	}
	return reply.OK()
}

func clusterBumpEpoch(c *Ctx) reply.Value {
	cl, word := c.Server.cluster, "STILL"
	if cl.bumpEpoch() {
		word = "BUMPED"
	}
	return reply.Status(word + " " + strconv.FormatInt(cl.epoch, 10))
}

func clusterSetConfigEpoch(c *Ctx) reply.Value {
	cl := c.Server.cluster
	epoch, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errNotInteger)
	case epoch < 0:
		return reply.Errorf("ERR Invalid config epoch specified: %d", epoch)
	case cl.epoch != 0:
		return reply.Err("ERR Node config epoch is already non-zero")
	}
	cl.epoch, cl.current = epoch, max(cl.current, epoch)
	return reply.OK()
}

// endUnserved ends the waits of those whose keys are not served any more.
func (s *Server) endUnserved() {
	for k, q := range s.queues {
		problem := errClusterDown
		switch {
		case !s.up():
		case !s.cluster.owns(datastore.Slot(k.key)):
			problem = errSlotUnserved
		default:
			continue
		}
		for q.head != nil {
			s.end(q.head.w, reply.Err(problem))
		}
	}
}
