package main

import (
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
)

// ratelimitWorkload allows calls of 10,000 users, each far below its limit.
func ratelimitWorkload(a ratelimit.Algorithm) workload {
	policy := []string{"1000000", "10000", "1"} // limit, period, cost
	if a == ratelimit.TokenBucket || a == ratelimit.GCRA {
		policy = []string{"100", "1", "1000000", "1"} // rate as a fraction, burst, cost
	}
	prefix := "ratelimit:" + a.String() + ":b:{"
	return workload{
		name: "ratelimit " + a.String(), script: ratelimit.AllowScript(a), nkeys: 1,
		op: func(dst []string, i int) []string {
			return append(append(dst, prefix+user(i%10000)+"}"), policy...)
		},
	}
}
