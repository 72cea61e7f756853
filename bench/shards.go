package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// shardTags is how many hash tags the keys of the shards' workloads have, half of them in each half of the slots: as many activities, say, go on
// at once.
const shardTags = 16

// runShards measures one engine, and clusters of one and two, with the same callers and the same keys of many slots.
func runShards(opt options) error {
	targets := []target{{name: oneName, callers: workers, run: calling(opt.watch, workers, oneEngine)}}
	for _, n := range []int{1, 2} {
		start := func() (embedded, error) { return engine.NewCluster(n, engine.Options{}) }
		targets = append(targets, target{name: "shards: " + strconv.Itoa(n), callers: workers, run: calling(opt.watch, workers, start)})
	}
	for _, w := range shardWorkloads() {
		if !opt.matches(w.name) {
			continue
		}
		rs, err := measure(w, targets, opt.rounds, opt.box)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		printAgainstBase(os.Stdout, w, rs, oneName)
	}
	return nil
}

const oneName = "one engine"

// tags returns the hash tags, in turn of the one and the other half of the slots.
func tags() (list [shardTags]string) {
	for i, n := 0, 0; n < shardTags; i++ {
		if tag := "{" + strconv.Itoa(i) + "}"; engine.Slot(tag)*2/engine.Slots == n%2 {
			list[n] = tag
			n++
		}
	}
	return list
}

func shardWorkloads() []workload {
	var activity [shardTags][5]string
	var plain [shardTags]string
	for i, tag := range tags() {
		for k, name := range []string{"grabbed", "packets", "records", "activity", "settlement"} {
			activity[i][k] = "redpacket:" + tag + ":" + name
		}
		plain[i] = "key:" + tag
	}
	return []workload{
		{
			name: "redpacket", script: redpacket.GrabScript(), nkeys: 5,
			setup: func(n int) (cmds [][]string) {
				for tag, keys := range activity {
					cmds = append(cmds, []string{"HSET", keys[3], "until", "never", "given", "0"})
					cmd := []string{"RPUSH", keys[1]}
					for i := tag; i < n; i += shardTags {
						if cmd = append(cmd, packet(i)); len(cmd) == 1000 {
							cmds, cmd = append(cmds, cmd), []string{"RPUSH", keys[1]}
						}
					}
					if len(cmd) > 2 {
						cmds = append(cmds, cmd)
					}
				}
				return cmds
			},
			op: func(dst []string, i int) []string {
				return append(append(dst, activity[i%shardTags][:]...), "user:"+strconv.Itoa(i))
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
