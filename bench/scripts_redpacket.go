package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// The keys of the activity, in the order of the script's KEYS.
const (
	grabbedKey    = "redpacket:{b}:grabbed"
	packetsKey    = "redpacket:{b}:packets"
	recordsKey    = "redpacket:{b}:records"
	activityKey   = "redpacket:{b}:activity"
	settlementKey = "redpacket:{b}:settlement"
)

// redpacketWorkload grabs packets for users that have none.
func redpacketWorkload() workload {
	return workload{
		name: "redpacket", script: redpacket.GrabScript(), nkeys: 5, floor: true,
		setup: setupPackets,
		op: func(dst []string, i int) []string {
			return append(dst, grabbedKey, packetsKey, recordsKey, activityKey, settlementKey, user(i))
		},
	}
}

// packet returns packet i as redpacket.Open stores it.
func packet(i int) string { return fmt.Sprintf("%d %d packet:%09d", 1_000_000_000-i, 100+i%9900, i) }

func setupPackets(n int) [][]string {
	cmds := [][]string{{"HSET", activityKey, "until", "never"}}
	for first := 0; first < n; first += 1000 {
		cmd := []string{"RPUSH", packetsKey}
		for i := first; i < min(first+1000, n); i++ {
			cmd = append(cmd, packet(i))
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}
