package studio

import (
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// readyScripts returns calls of the ready scripts.
func readyScripts() []Document {
	return []Document{
		{
			Name: "Ready script: redpacket, grab", Source: redpacket.GrabScript().Source(),
			Keys: "{a}:grabbed {a}:packets {a}:records {a} {a}:settlement", Args: "ann",
			Fixture: "RPUSH {a}:packets \"10 5 p1\" \"5 3 p2\" \"2 2 p3\"\n" +
				"HSET {a} digest d packets 3 total 10 sender bob keep 0 loaded 3 until never",
		},
		{
			// The bounds of the time are far apart, so that the example works on every day.
			Name: "Ready script: coupon, claim", Source: coupon.ClaimScript().Source(),
			Keys: "claims all user:ann", Args: "token-1 \"claim of ann\" 0 9000000000000000 1 -1 n 100 -1 total 2 -1",
			Fixture: "HSET all n 41",
		},
		{
			Name: "Ready script: lock, acquire", Source: lock.AcquireScript().Source(),
			Keys: "lock:{l} lock:{l}:state lock:{l}:queue lock:{l}:deadlines", Args: "lease-1 worker-1 30000 0",
		},
		{
			Name: "Ready script: delayqueue, enqueue", Source: delayqueue.EnqueueScript().Source(),
			Keys: "{q}:ready {q}:delayed {q}:ids {q}:meta", Args: "0 1000 after 60000 order-1 \"payload of the order\"",
		},
	}
}
