package main

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
)

// workload is a sequence of operations. Every target gets the same commands.
type workload struct {
	name   string
	script *engine.Script // nil for a plain command
	// setup returns the commands that prepare n operations; their time does not count.
	setup func(n int) [][]string
	// op appends operation i to dst: a command or, for a script, KEYS (nkeys of them) and ARGV.
	op    func(dst []string, i int) []string
	nkeys int
	// floor: also runs on the bare VM.
	floor bool
	// bare: the script is not a ready script.
	bare bool
	// real: needs a library that miniredis does not have.
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

// numbered returns prefix followed by i in nine digits. Scripts' operations call it, so its cost
// counts.
func numbered(prefix string, i int) string {
	var b [32]byte
	text := strconv.AppendInt(append(b[:0], prefix...), 1_000_000_000+int64(i), 10)
	return string(append(text[:len(prefix)], text[len(prefix)+1:]...))
}

func user(i int) string { return numbered("user:", i) }
