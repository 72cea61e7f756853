package main

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

const (
	readyKey   = "delayqueue:{b}:ready"
	delayedKey = "delayqueue:{b}:delayed"
	idsKey     = "delayqueue:{b}:ids"
	deadKey    = "delayqueue:{b}:dead"
	metaKey    = "delayqueue:{b}:meta"
)

const delayqueuePayload = `{"id":"packet:000000001","amount":1234,"user":"user:000000001"}`

func delayqueueEnqueue() workload {
	return workload{
		name: "delayqueue enqueue", script: delayqueue.EnqueueScript(), nkeys: 4,
		op: func(dst []string, i int) []string {
			return append(dst, readyKey, delayedKey, idsKey, metaKey, "0", "1000", "now", "0", user(i), delayqueuePayload)
		},
	}
}

// delayqueueTake takes batch messages per operation.
func delayqueueTake(batch int) workload {
	return workload{
		name: "delayqueue take " + strconv.Itoa(batch), script: delayqueue.TakeScript(), nkeys: 3,
		setup: func(n int) [][]string { return setupQueue(n*batch, false) },
		op: func(dst []string, i int) []string {
			return append(dst, readyKey, delayedKey, idsKey, "delayqueue", "worker "+strconv.Itoa(i%workers),
				strconv.Itoa(batch), "30000", "9000000000000", "0-0")
		},
	}
}

// delayqueueSettle commits batch messages per operation.
func delayqueueSettle(batch int) workload {
	return workload{
		name: "delayqueue settle " + strconv.Itoa(batch), script: delayqueue.SettleScript(), nkeys: 5,
		setup: func(n int) [][]string { return setupQueue(n*batch, true) },
		op: func(dst []string, i int) []string {
			dst = append(dst, readyKey, delayedKey, idsKey, deadKey, metaKey, "delayqueue", "worker 0", "600000", strconv.Itoa(batch))
			for k := i * batch; k < (i+1)*batch; k++ {
				dst = append(dst, strconv.Itoa(k+1)+"-1")
			}
			for k := i * batch; k < (i+1)*batch; k++ {
				dst = append(dst, "", user(k))
			}
			return dst
		},
	}
}

// setupQueue puts n messages into the queue, and hands them to a consumer if taken.
func setupQueue(n int, taken bool) [][]string {
	const fill = `for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
	local id = string.format('user:%09d', i)
	redis.call('XADD', KEYS[1], (i + 1) .. '-1', 'id', id, 'payload', ARGV[3])
	redis.call('ZADD', KEYS[2], -i - 2, id)
end
return 1`
	cmds := [][]string{{"XGROUP", "CREATE", readyKey, "delayqueue", "0", "MKSTREAM"}}
	for first := 0; first < n; first += 1000 {
		last := min(first+1000, n) - 1
		cmds = append(cmds, []string{"EVAL", fill, "2", readyKey, idsKey, strconv.Itoa(first), strconv.Itoa(last), delayqueuePayload})
	}
	if taken {
		const take = `return #redis.call('XREADGROUP', 'GROUP', 'delayqueue', 'worker 0', 'COUNT', ARGV[1], 'STREAMS', KEYS[1], '>')`
		cmds = append(cmds, []string{"EVAL", take,
			"1", readyKey, strconv.Itoa(n)})
	}
	return cmds
}
