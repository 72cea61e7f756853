package miniredis

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
)

// The numbers and names that miniredis replies to CLUSTER.
const (
	clusterSlots = 16384
	slotsNode    = "09dbe9720cda62f7865eabc5fd8857c5d2678366"
	nodesNode    = "e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca"
	shardsNode   = "13f84e686106847b76671957dd348fde540a77bb"
)

// noCluster is the error of CLUSTER outside of a cluster.
const noCluster = "ERR This instance has cluster support disabled"

// clusterCommand answers those subcommands of CLUSTER with which a client finds its way, as if this
// server were a cluster of one node; so a client for clusters works with it. What an engine refuses
// for another reason, such as a missing password, it refuses. It returns false for other commands.
func (m *Miniredis) clusterCommand(c *server.Peer, args []string) bool {
	if len(args) == 0 {
		return false
	}
	host, port := "", 0
	if a := m.addr(); a != nil {
		host, port = a.IP.String(), a.Port
	}
	var answer func(w *server.Writer)
	switch sub := strings.ToUpper(args[0]); {
	case sub == "SLOTS" && len(args) == 1:
		answer = func(w *server.Writer) {
			w.WriteLen(1)
			w.WriteLen(3)
			w.WriteInt(0)
			w.WriteInt(clusterSlots - 1)
			w.WriteLen(3)
			w.WriteBulk(host)
			w.WriteInt(port)
			w.WriteBulk(slotsNode)
		}
	case sub == "NODES" && len(args) == 1:
		answer = func(w *server.Writer) {
			w.WriteBulk(fmt.Sprintf("%s %s:%d@%d myself,master - 0 0 1 connected 0-%d", nodesNode, host, port, port, clusterSlots-1))
		}
	case sub == "SHARDS" && len(args) == 1:
		answer = func(w *server.Writer) { writeShards(w, host, port) }
	case sub == "KEYSLOT" && len(args) == 2:
		answer = func(w *server.Writer) { w.WriteInt(slotOf(args[1])) }
	default:
		return false
	}
	if refused := c.Forward(append([]string{"CLUSTER"}, args...), noCluster); refused {
		c.Block(answer)
	}
	return true
}

// writeShards writes the reply to CLUSTER SHARDS.
func writeShards(w *server.Writer, host string, port int) {
	w.WriteLen(1)
	w.WriteMapLen(2)
	w.WriteBulk("slots")
	w.WriteLen(2)
	w.WriteInt(0)
	w.WriteInt(clusterSlots - 1)
	w.WriteBulk("nodes")
	w.WriteLen(1)
	w.WriteMapLen(6)
	w.WriteBulk("id")
	w.WriteBulk(shardsNode)
	w.WriteBulk("ip")
	w.WriteBulk(host)
	w.WriteBulk("port")
	w.WriteInt(port)
	w.WriteBulk("role")
	w.WriteBulk("master")
	w.WriteBulk("replication-offset")
	w.WriteInt(0)
	w.WriteBulk("health")
	w.WriteBulk("online")
}

// slotOf returns the hash slot of a key: the CRC16 (XMODEM) of its hash tag, or of the whole key.
func slotOf(key string) int {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(rest, "}"); ok && tag != "" {
			key = tag
		}
	}
	crc := uint16(0)
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			top := crc & 0x8000
			crc <<= 1
			if top != 0 {
				crc ^= 0x1021
			}
		}
	}
	return int(crc) % clusterSlots
}
