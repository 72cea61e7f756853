package replication

import (
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// HasReplicas reports whether replicas are connected.
func (st *State) HasReplicas() bool { return len(st.replicas) > 0 }

// takeFailover runs PSYNC with FAILOVER, by which the master of this server hands its part over. If
// stop is false, PSYNC goes on.
func (st *State) takeFailover(c *server.Ctx) (v reply.Value, stop bool) {
	st.srv.Log.Warn("Failover request received for replid " + c.Args[1] + ".")
	switch {
	case !st.isReplica():
		return reply.Err("ERR PSYNC FAILOVER can't be sent to a master."), true
	case c.Args[1] != st.id:
		return reply.Err("ERR PSYNC FAILOVER replid must match my replid."), true
	}
	st.Lead()
	st.srv.Log.Info("MASTER MODE enabled (failover request from '" + st.srv.Describe(c.Session) + "')")
	return v, false
}
