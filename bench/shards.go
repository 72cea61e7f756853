package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// shardTags is the number of hash tags of the keys, half of them in each half of the slots: for
// example, activities that run at the same time.
const shardTags = 16

// runShards measures one engine, and clusters of one and two shards, with the same callers and the
// same keys of many slots: one call at a time, and in pipelines, each with keys of one slot.
func runShards(opt options) error {
	for _, depth := range []int{1, shardBlock} {
		run := func(start func() (embedded, error)) func(workload, int) (time.Duration, error) {
			if depth == 1 {
				return calling(opt.watch, workers, start)
			}
			return pipelining(opt.watch, workers, start)
		}
		targets := []target{{name: oneName, callers: workers, run: run(oneEngine)}}
		for _, n := range []int{1, 2} {
			start := func() (embedded, error) { return engine.NewCluster(n, engine.Options{}) }
			targets = append(targets, target{name: "shards: " + strconv.Itoa(n), callers: workers, run: run(start)})
		}
		for _, w := range shardWorkloads() {
			if depth > 1 {
				w.name += ", pipelined by " + strconv.Itoa(depth)
			}
			if !opt.matches(w.name) {
				continue
			}
			rs, err := measure(w, targets, opt.rounds, opt.box)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			printAgainstBase(os.Stdout, w, rs, oneName)
			fmt.Printf("two shards ÷ one engine: %v, ÷ one shard: %v\n\n",
				ratioOf(rs[2].rates, rs[0].rates), ratioOf(rs[2].rates, rs[1].rates))
		}
	}
	return nil
}

// shardBlock is the number of consecutive operations on keys of one slot.
const shardBlock = 16

// pipelining is like calling, but with pipelines of shardBlock operations.
func pipelining(watch stopwatch, callers int, start func() (embedded, error)) func(workload, int) (time.Duration, error) {
	return func(w workload, n int) (time.Duration, error) {
		e, err := start()
		if err != nil {
			return 0, err
		}
		defer e.Close()
		ctx := context.Background()
		var cmds [][]string
		if w.setup != nil {
			cmds = w.setup(n)
		}
		if w.script != nil {
			cmds = append(cmds, []string{"SCRIPT", "LOAD", w.script.Source()})
		}
		for _, cmd := range cmds {
			if _, err := e.DoStrings(ctx, cmd...); err != nil {
				return 0, err
			}
		}
		return share(watch, callers, n, func(next func(int) (int, int)) error {
			p := e.Pipeline()
			var line []string
			for {
				from, to := next(shardBlock)
				if from == to {
					return nil
				}
				for i := from; i < to; i++ {
					line = w.line(line[:0], i)
					p.DoStrings(line...)
				}
				replies, err := p.Exec(ctx)
				if err != nil {
					return err
				}
				for _, v := range replies {
					if err := v.Err(); err != nil {
						return err
					}
				}
			}
		})
	}
}

const oneName = "one engine"

// tags returns the hash tags, alternately of the two halves of the slots.
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
					for i := range n {
						if i/shardBlock%shardTags != tag {
							continue
						}
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
				return append(append(dst, activity[i/shardBlock%shardTags][:]...), "user:"+strconv.Itoa(i))
			},
		},
		{
			name: "get and set",
			op: func(dst []string, i int) []string {
				if i%2 == 0 {
					return append(dst, "SET", plain[i/shardBlock%shardTags], "value of some length")
				}
				return append(dst, "GET", plain[i/shardBlock%shardTags])
			},
		},
	}
}
