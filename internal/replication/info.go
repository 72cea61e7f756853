package replication

import "github.com/redmoon-lua/redmoon/internal/server"

// WriteInfo implements [server.Replication].
func (st *State) WriteInfo(w *server.InfoWriter) {
	if st.master == nil {
		w.Field("role", "master")
	} else {
		w.Field("role", "slave")
		st.writeMaster(w)
	}
	w.Field("connected_slaves", 0)
	w.Field("master_failover_state", "no-failover")
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
