package main

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
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
	// bare is no ready script.
	bare bool
	// real needs a library that miniredis has not.
	real bool
}

func workloads() []workload {
	return []workload{
		redpacketWorkload(),
		couponWorkload(),
		stockReserve("stock reserve", "counter"),
		stockReserve("stock reserve unit", "units"),
		stockSoldOut(),
		ratelimitWorkload(ratelimit.FixedWindow),
		ratelimitWorkload(ratelimit.SlidingLog),
		ratelimitWorkload(ratelimit.SlidingCounter),
		ratelimitWorkload(ratelimit.TokenBucket),
		ratelimitWorkload(ratelimit.GCRA),
		lockWorkload(),
		lockRenewWorkload(),
		delayqueueEnqueue(),
		delayqueueTake(1),
		delayqueueSettle(1),
		delayqueueTake(10),
		delayqueueSettle(10),
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
			name: "evalsha incr", script: engine.NewScript("return redis.call('incr',KEYS[1])"), nkeys: 1, bare: true,
			op: func(dst []string, _ int) []string { return append(dst, "counter") },
		},
	}
}

// numbered is prefix and i in nine digits. Every operation of a script makes some: its cost counts.
func numbered(prefix string, i int) string {
	var b [32]byte
	text := strconv.AppendInt(append(b[:0], prefix...), 1_000_000_000+int64(i), 10)
	return string(append(text[:len(prefix)], text[len(prefix)+1:]...))
}

func user(i int) string { return numbered("user:", i) }
