package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/lock"
)

const lockTTL = "600000" // ms

func lockKey(i int) string { return fmt.Sprintf("lock:{%d}", i) }

// lockWorkload takes locks that are free.
func lockWorkload() workload {
	return workload{
		name: "lock", script: lock.AcquireScript(), nkeys: 4,
		op: func(dst []string, i int) []string {
			k, lease := lockKey(i), user(i)
			return append(dst, k, k+":state", k+":queue", k+":deadlines", lease, lease, lockTTL, "0")
		},
	}
}

// lockRenewWorkload renews one of many locks that are held.
func lockRenewWorkload() workload {
	const held = 1000
	return workload{
		name: "lock-renew", script: lock.RenewScript(), nkeys: 1,
		setup: func(int) (cmds [][]string) {
			for i := range held {
				cmds = append(cmds,
					[]string{"HSET", lockKey(i), "owner", user(i), "token", "1700000000000000", "lease:" + user(i), "1"},
					[]string{"PEXPIRE", lockKey(i), "300000"})
			}
			return cmds
		},
		op: func(dst []string, i int) []string { return append(dst, lockKey(i%held), user(i%held), lockTTL) },
	}
}
