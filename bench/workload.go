package main

import (
	"encoding/json"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// workload is one kind of work. Every target gets the same commands.
type workload struct {
	name   string
	script *engine.Script // nil for a plain command
	// setup returns the commands that prepare n operations; their time is not counted.
	setup func(n int) [][]string
	// op fills dst with operation i; of a script, KEYS and ARGV with nkeys keys in front.
	op    func(dst []string, i int) []string
	nkeys int
	// floor runs on the bare VM too.
	floor bool
}

func workloads() []workload {
	return []workload{
		{
			name: "redpacket", script: redpacket.GrabScript(), nkeys: 3, floor: true,
			setup: setupPackets,
			op: func(dst []string, i int) []string {
				return append(dst, grabbedKey, packetsKey, recordsKey, user(i))
			},
		},
		couponWorkload(),
		{
			name:  "get",
			setup: func(int) [][]string { return [][]string{{"SET", "key", "value of some length"}} },
			op:    func(dst []string, _ int) []string { return append(dst, "GET", "key") },
		},
		{
			name: "set",
			op:   func(dst []string, _ int) []string { return append(dst, "SET", "key", "value of some length") },
		},
		{
			name: "evalsha incr", script: engine.NewScript("return redis.call('incr',KEYS[1])"), nkeys: 1,
			op: func(dst []string, _ int) []string { return append(dst, "counter") },
		},
	}
}

const (
	grabbedKey = "redpacket:{b}:grabbed"
	packetsKey = "redpacket:{b}:packets"
	recordsKey = "redpacket:{b}:records"
)

func user(i int) string { return fmt.Sprintf("user:%09d", i) }

// packet is packet i as redpacket.Open stores it.
func packet(i int) string {
	b, err := json.Marshal(redpacket.Packet{ID: fmt.Sprintf("packet:%09d", i), Amount: int64(100 + i%9900)})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func setupPackets(n int) [][]string {
	var cmds [][]string
	for first := 0; first < n; first += 1000 {
		cmd := []string{"LPUSH", packetsKey}
		for i := first; i < min(first+1000, n); i++ {
			cmd = append(cmd, packet(i))
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}
