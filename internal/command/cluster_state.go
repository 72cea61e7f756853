package command

import "github.com/redmoon-lua/redmoon/datastore"

// cluster is what a server knows as the one node of a Redis Cluster.
type cluster struct {
	name    string // 40 hexadecimal digits
	epoch   int64  // of this node's configuration
	current int64  // the greatest epoch seen
	owned   [datastore.Slots / 64]uint64
	count   int // of the slots owned
}

// noSlot stands for the slot of a command without keys.
const noSlot = -1

// EnableCluster makes the server the one node of a cluster, and the owner of all slots. It cannot be taken back. Caller must
// not have opened a session.
func (s *Server) EnableCluster() {
	s.cluster = &cluster{name: newRunID(s.Store)}
	for slot := range datastore.Slots {
		s.cluster.own(slot)
	}
	s.Config.Fix("cluster-enabled", "yes")
	s.Store.DB(0).IndexSlots()
}

func (cl *cluster) owns(slot int) bool { return cl.owned[slot/64]>>(slot%64)&1 != 0 }

// own gives the node a slot.
func (cl *cluster) own(slot int) {
	if !cl.owns(slot) {
		cl.owned[slot/64] |= 1 << (slot % 64)
		cl.count++
	}
}

// disown takes a slot from the node; use [Server.dropSlot].
func (cl *cluster) disown(slot int) {
	if cl.owns(slot) {
		cl.owned[slot/64] &^= 1 << (slot % 64)
		cl.count--
	}
}

// ranges are the slots owned, as ranges with both ends in them.
func (cl *cluster) ranges() (out [][2]int) {
	for slot := range datastore.Slots {
		switch {
		case !cl.owns(slot):
		case slot > 0 && cl.owns(slot-1):
			out[len(out)-1][1] = slot
		default:
			out = append(out, [2]int{slot, slot})
		}
	}
	return out
}

// up reports whether the cluster serves keys: it does not while slots are missing, unless it is content with less.
func (s *Server) up() bool {
	n := s.cluster.count
	return n == datastore.Slots || n > 0 && s.Config.Value("cluster-require-full-coverage") == "no"
}

// bumpEpoch gives the node's configuration the newest epoch; it reports false when it has that.
func (cl *cluster) bumpEpoch() bool {
	if cl.epoch != 0 && cl.epoch == max(cl.epoch, cl.current) {
		return false
	}
	cl.current++
	cl.epoch = cl.current
	return true
}

// dropSlot takes a slot from the node. Subscriptions to channels in it end, which the subscribers are told.
func (s *Server) dropSlot(slot int) {
	s.cluster.disown(slot)
	for i := 0; i < len(s.topics[onShard].list); {
		t := s.topics[onShard].list[i]
		if datastore.Slot(t.name) != slot {
			i++
			continue
		}
		for len(t.sessions) > 0 {
			sess := t.sessions[0]
			s.unsubscribe(sess, onShard, t.name)
			s.push(sess, sess.endOf(onShard, t.name))
		}
	}
}
