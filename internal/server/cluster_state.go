package server

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
)

// cluster is what a server knows as the one node of a Redis Cluster.
type cluster struct {
	Name    string // 40 hexadecimal digits
	Epoch   int64  // of this node's configuration
	Current int64  // the greatest epoch seen
	owned   [datastore.Slots / 64]uint64
	Count   int // of the slots owned

	full  int                   // how many slots are owned when all are served
	where func(slot int) string // of a node that shares the slots with others: who owns a slot; nil: this node is alone
	share [2]int                // its first and last slot then
}

// noSlot stands for the slot of a command without keys.
const noSlot = -1

// EnableCluster makes the server the one node of a cluster, and the owner of all slots. It cannot
// be taken back. Caller must not have opened a session.
func (s *Server) EnableCluster() { s.EnableShard(0, datastore.Slots-1, nil) }

// EnableShard is EnableCluster for a node that owns only the slots from first to last. where tells,
// as the address in MOVED, who owns the others.
func (s *Server) EnableShard(first, last int, where func(slot int) string) {
	s.Cluster = &cluster{Name: NewRunID(s.Store), full: last - first + 1, where: where, share: [2]int{first, last}}
	s.slotted = true
	for slot := first; slot <= last; slot++ {
		s.Cluster.Own(slot)
	}
	s.Config.Fix("cluster-enabled", "yes")
	s.Store.DB(0).IndexSlots()
}

// EnforceOneSlot holds each script to keys of one slot, those that it declares and those that it
// uses, whether or not the server is in cluster mode. Caller must not have opened a session.
func (s *Server) EnforceOneSlot() { s.oneSlot, s.slotted = true, true }

// foreign reports whether a slot is of another node.
func (cl *cluster) Foreign(slot int) bool { return slot < cl.share[0] || slot > cl.share[1] }

// unserved is the error for a slot that the node does not own.
func (cl *cluster) unserved(slot int) string {
	if cl.Foreign(slot) {
		return "MOVED " + strconv.Itoa(slot) + " " + cl.where(slot)
	}
	return ErrSlotUnserved
}

func (cl *cluster) Owns(slot int) bool { return cl.owned[slot/64]>>(slot%64)&1 != 0 }

// own gives the node a slot.
func (cl *cluster) Own(slot int) {
	if !cl.Owns(slot) {
		cl.owned[slot/64] |= 1 << (slot % 64)
		cl.Count++
	}
}

// disown takes a slot from the node; use [Server.DropSlot].
func (cl *cluster) disown(slot int) {
	if cl.Owns(slot) {
		cl.owned[slot/64] &^= 1 << (slot % 64)
		cl.Count--
	}
}

// ranges are the slots owned, as ranges with both ends in them.
func (cl *cluster) Ranges() (out [][2]int) {
	for slot := range datastore.Slots {
		switch {
		case !cl.Owns(slot):
		case slot > 0 && cl.Owns(slot-1):
			out[len(out)-1][1] = slot
		default:
			out = append(out, [2]int{slot, slot})
		}
	}
	return out
}

// up reports whether the cluster serves keys: it does not while slots are missing, unless it is
// content with less.
func (s *Server) ClusterUp() bool {
	if s.Cluster == nil {
		return true
	}
	n := s.Cluster.Count
	return n == s.Cluster.full || n > 0 && s.Config.Value("cluster-require-full-coverage") == "no"
}

// BumpEpoch gives the node's configuration the newest epoch; it reports false when it has that.
func (cl *cluster) BumpEpoch() bool {
	if cl.Epoch != 0 && cl.Epoch == max(cl.Epoch, cl.Current) {
		return false
	}
	cl.Current++
	cl.Epoch = cl.Current
	return true
}

// DropSlot takes a slot from the node. Subscriptions to channels in it end, which the subscribers
// are told.
func (s *Server) DropSlot(slot int) {
	s.Cluster.disown(slot)
	for i := 0; i < len(s.Topics[OnShard].List); {
		t := s.Topics[OnShard].List[i]
		if datastore.Slot(t.Name) != slot {
			i++
			continue
		}
		for len(t.Sessions) > 0 {
			sess := t.Sessions[0]
			s.Unsubscribe(sess, OnShard, t.Name)
			s.push(sess, sess.EndOf(OnShard, t.Name))
		}
	}
}
