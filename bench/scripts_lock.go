package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/lock"
)

const (
	lockTTL   = "600000" // ms
	lockToken = "1700000000000000"
)

func lockKey(i int) string { return fmt.Sprintf("lock:{%d}", i) }

// lockWorkload takes free locks that have been held before.
func lockWorkload() workload {
	return workload{
		name: "lock", script: lock.AcquireScript(), nkeys: 4,
		setup: func(n int) (cmds [][]string) {
			for i := range n {
				cmds = append(cmds, []string{"HSET", lockKey(i) + ":state", "token", lockToken, "released", user(i)})
			}
			return cmds
		},
		op: func(dst []string, i int) []string {
			k, lease := lockKey(i), user(i)
			return append(dst, k, k+":state", k+":queue", k+":deadlines", lease, lease, lockTTL, "0")
		},
	}
}

// lockRenewWorkload renews one of many held locks.
func lockRenewWorkload() workload {
	const held = 1000
	return workload{
		name: "lock-renew", script: lock.RenewScript(), nkeys: 1,
		setup: func(int) (cmds [][]string) {
			for i := range held {
				cmds = append(cmds,
					[]string{"HSET", lockKey(i), "owner", user(i), "token", lockToken, "lease:" + user(i), "1"},
					[]string{"PEXPIRE", lockKey(i), "300000"})
			}
			return cmds
		},
		op: func(dst []string, i int) []string { return append(dst, lockKey(i%held), user(i%held), lockTTL) },
	}
}
