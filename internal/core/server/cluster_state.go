package server

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// cluster is the state of a server as a node of a Redis Cluster.
type cluster struct {
	Name    string // 40 hexadecimal digits
	Shards  int    // how often the node has entered a new shard without a new name
	Epoch   int64  // epoch of this node's configuration
	Current int64  // the greatest epoch seen
	owned   [datastore.Slots / 64]uint64
	Count   int // number of slots owned

	full  int                   // the value of Count when all slots are served
	where func(slot int) string // the owner of a slot that belongs to another node; nil if this node is alone
	share [2]int                // first and last slot of this node if it shares the slots
}

// slotRules are the slots that commands may use.
type slotRules struct {
	Cluster *cluster // nil unless in cluster mode
	oneSlot bool     // each script must use one slot
	slotted bool     // Cluster is set or oneSlot is true
	slots   datastore.SlotCache
}

// noSlot stands for the slot of a command without keys.
const noSlot = -1

// EnableCluster makes the server the only node of a cluster and the owner of all slots. It cannot
// be undone. Caller must not have opened a session.
func (s Control) EnableCluster() { s.EnableShard(0, datastore.Slots-1, nil) }

// EnableShard is EnableCluster for a node that owns only the slots from first to last. where
// returns the owner of any other slot, as the address in MOVED.
func (s Control) EnableShard(first, last int, where func(slot int) string) {
	s.Cluster = &cluster{Name: NewRunID(s.Store), full: last - first + 1, where: where, share: [2]int{first, last}}
	s.slotted = true
	s.updateStanding()
	for slot := first; slot <= last; slot++ {
		s.Cluster.Own(slot)
	}
	s.Config.Fix("cluster-enabled", "yes")
	for i := range s.indexed() {
		s.Store.DB(i).IndexSlots()
	}
}

// indexed returns how many databases have an index of their keys by slot: all that sessions can
// select in cluster mode.
func (s *Server) indexed() int {
	if s.Follows.Has(servers.NumberedClusterDatabases) {
		return s.Store.Databases()
	}
	return 1
}

// CountKeysInSlot returns the number of keys of a slot in all databases.
func (s *Server) CountKeysInSlot(slot int) (n int) {
	for i := range s.indexed() {
		n += s.Store.DB(i).CountKeysInSlot(slot)
	}
	return n
}

// EnforceOneSlot restricts each script to keys of one slot, both declared keys and used keys, even
// outside cluster mode. Caller must not have opened a session.
func (s Control) EnforceOneSlot() {
	s.oneSlot, s.slotted = true, true
	s.updateStanding()
}

// DropKeysInSlot calls drop for each key of a slot in each database; drop must remove it.
func (s *Server) DropKeysInSlot(slot int, drop func(db *datastore.DB, key string)) {
	for i := range s.indexed() {
		db := s.Store.DB(i)
		for _, key := range db.KeysInSlot(slot, db.CountKeysInSlot(slot)) {
			drop(db, key)
		}
	}
}

// Shard returns the name of the shard of this node, 40 hexadecimal digits. It follows from the
// node's name, so that it takes nothing from the store's random numbers.
func (cl *cluster) Shard() string {
	sum := sha1.Sum([]byte("shard " + strconv.Itoa(cl.Shards) + " of " + cl.Name))
	return hex.EncodeToString(sum[:])
}

// Foreign reports whether a slot belongs to another node.
func (cl *cluster) Foreign(slot int) bool { return slot < cl.share[0] || slot > cl.share[1] }

// unserved returns the error for a slot that the node does not own.
func (cl *cluster) unserved(slot int) string {
	if cl.Foreign(slot) {
		return "MOVED " + strconv.Itoa(slot) + " " + cl.where(slot)
	}
	return ErrSlotUnserved
}

// Owns reports whether the node owns a slot.
func (cl *cluster) Owns(slot int) bool { return cl.owned[slot/64]>>(slot%64)&1 != 0 }

// Own gives a slot to the node.
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

// Ranges returns the slots owned, as ranges with inclusive ends.
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

// ClusterUp reports whether the cluster serves keys. It does not while slots are missing, unless
// cluster-require-full-coverage is off.
func (s *Server) ClusterUp() bool {
	if s.Cluster == nil {
		return true
	}
	n := s.Cluster.Count
	return n == s.Cluster.full || n > 0 && s.Config.Value("cluster-require-full-coverage") == "no"
}

// BumpEpoch gives the node's configuration the newest epoch. It returns false if it has that
// already.
func (cl *cluster) BumpEpoch() bool {
	if cl.Epoch != 0 && cl.Epoch == max(cl.Epoch, cl.Current) {
		return false
	}
	cl.Current++
	cl.Epoch = cl.Current
	return true
}

// DropSlot takes a slot from the node. Subscriptions to shard channels in it end, and the
// subscribers are notified.
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
			s.push(sess, sess.UnsubscribeMessage(OnShard, t.Name))
		}
	}
}
