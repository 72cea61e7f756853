package replication

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// WriteInfo implements [server.Replication].
func (st *State) WriteInfo(w *server.InfoWriter) {
	if st.master == nil {
		w.Field("role", "master")
	} else {
		w.Field("role", "slave")
		st.writeMaster(w)
	}
	w.Field("connected_slaves", len(st.replicas))
	if st.number("min-replicas-to-write") > 0 && st.number("min-replicas-max-lag") > 0 {
		w.Field("min_slaves_good_slaves", st.good)
	}
	n := 0
	for _, r := range st.replicas {
		if r.host() == "" {
			continue
		}
		lag := int64(0)
		if r.phase == online {
			lag = st.seconds() - r.ackTime
		}
		more := ""
		switch {
		case st.srv.Follows.Has(servers.ReplicaTypeShown):
			more = ",type=replica"
		case st.srv.Follows.Has(servers.ReplicaThreadShown):
			more = ",io-thread=0"
		}
		w.Field(fmt.Sprintf("slave%d", n), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=%d%s",
			r.host(), r.port, stateNames[r.phase], r.ackOffset, lag, more))
		n++
	}
	w.Zeros("replicas_waiting_psync")
	w.Field("master_failover_state", st.failover.state)
	w.Field("master_replid", st.id)
	w.Field("master_replid2", st.second)
	w.Field("master_repl_offset", st.offset)
	w.Field("second_repl_offset", st.secondUntil)
	active, begin, length := 0, int64(0), int64(0)
	if b := st.backlog; b != nil {
		active, begin, length = 1, b.begin, b.length()
	}
	w.Field("repl_backlog_active", active)
	w.Field("repl_backlog_size", st.number("repl-backlog-size"))
	w.Field("repl_backlog_first_byte_offset", begin)
	w.Field("repl_backlog_histlen", length)
}

// Counts implements [server.Replication].
func (st *State) Counts() server.ReplicationCounts {
	n := st.counts
	n.BytesIn += st.copied.Load()
	n.BytesOut = st.sent.Load()
	return n
}

// ResetCounts implements [server.Replication].
func (st *State) ResetCounts() {
	st.counts = server.ReplicationCounts{}
	st.sent.Store(0)
	st.copied.Store(0)
}

// ChangeID gives the server new replication IDs (DEBUG CHANGE-REPL-ID), so that no replica can
// continue.
func (st *State) ChangeID() {
	st.srv.Log.Warn("Changing replication IDs after receiving DEBUG change-repl-id")
	st.renew()
}

// Buffers implements [server.Replication].
func (st *State) Buffers() (total, backlog int64) {
	if st.backlog == nil {
		return 0, 0
	}
	backlog = st.backlog.length()
	total = backlog
	for _, r := range st.replicas {
		total = max(total, st.unsent(r))
	}
	return total, backlog
}
