package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// shardTags is how many hash tags the keys of the shards' workloads have: as many activities, say, go on at once.
const shardTags = 256

// runShards measures one engine, and clusters of one and two, with the same callers and the same keys of many slots.
func runShards(opt options) error {
	targets := []target{{name: oneName, callers: workers, run: calling(opt.watch, workers, oneEngine)}}
	for _, n := range []int{1, 2} {
		start := func() (embedded, error) { return engine.NewCluster(n, engine.Options{}) }
		targets = append(targets, target{name: "shards: " + strconv.Itoa(n), callers: workers, run: calling(opt.watch, workers, start)})
	}
	for _, w := range shardWorkloads() {
		rs, err := measure(w, targets, opt.rounds, opt.box)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		printAgainstBase(os.Stdout, w, rs, oneName)
	}
	return nil
}

const oneName = "one engine"

func shardWorkloads() []workload {
	var packets [shardTags][3]string
	var plain [shardTags]string
	for i := range shardTags {
		tag := "{" + strconv.Itoa(i) + "}"
		packets[i] = [3]string{"redpacket:" + tag + ":grabbed", "redpacket:" + tag + ":packets", "redpacket:" + tag + ":records"}
		plain[i] = "key:" + tag
	}
	return []workload{
		{
			name: "redpacket", script: redpacket.GrabScript(), nkeys: 3,
			setup: func(n int) [][]string {
				var cmds [][]string
				for tag := range shardTags {
					cmd := []string{"LPUSH", packets[tag][1]}
					for i := tag; i < n; i += shardTags {
						if cmd = append(cmd, packet(i)); len(cmd) == 1000 {
							cmds, cmd = append(cmds, cmd), []string{"LPUSH", packets[tag][1]}
						}
					}
					if len(cmd) > 2 {
						cmds = append(cmds, cmd)
					}
				}
				return cmds
			},
			op: func(dst []string, i int) []string {
				k := &packets[i%shardTags]
				return append(dst, k[0], k[1], k[2], "user:"+strconv.Itoa(i))
			},
		},
		{
			name: "get and set",
			op: func(dst []string, i int) []string {
				if i%2 == 0 {
					return append(dst, "SET", plain[i/2%shardTags], "value of some length")
				}
				return append(dst, "GET", plain[i/2%shardTags])
			},
		},
	}
}
