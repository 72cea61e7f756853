package replication

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// CanFollow reports whether the engine can connect to a master.
func (st *State) CanFollow() bool { return st.env.Dial != nil && st.env.Clock != nil }

// Role returns the reply of ROLE.
func (st *State) Role() reply.Value {
	f := st.master
	if f == nil {
		return st.masterRole()
	}
	state, offset := f.state.String(), int64(-1)
	if f.session != nil {
		state, offset = link.Streaming.String(), st.offset
	}
	return reply.Array(reply.Bulk("slave"), reply.Bulk(f.host), reply.Int(int64(f.port)), reply.Bulk(state), reply.Int(offset))
}

// writeMaster writes the fields of INFO about the master.
func (st *State) writeMaster(w *server.InfoWriter) {
	f := st.master
	w.Field("master_host", f.host)
	w.Field("master_port", f.port)
	status, heard, offset := "down", int64(-1), int64(1)
	if f.session != nil {
		status, heard = "up", max(0, st.seconds()-f.link.Heard().Unix())
	}
	if f.session != nil || st.resumable {
		offset = st.offset
	}
	receiving := f.state == link.Receiving && f.session == nil
	w.Field("master_link_status", status)
	w.Field("master_last_io_seconds_ago", heard)
	w.Field("master_sync_in_progress", flag(receiving))
	w.Field("slave_read_repl_offset", offset+int64(len(f.held)+f.unread))
	w.Field("slave_repl_offset", offset)
	if receiving {
		total, got, perc := f.sync.Size, f.got.Load(), 0.0
		total = max(total, 0)
		if total > 0 {
			perc = float64(got) / float64(total) * 100
		}
		w.Field("master_sync_total_bytes", total)
		w.Field("master_sync_read_bytes", got)
		w.Field("master_sync_left_bytes", total-got)
		w.Field("master_sync_perc", fmt.Sprintf("%.2f", perc))
		w.Field("master_sync_last_io_seconds_ago", max(0, st.seconds()-f.gotAt.Load()))
	}
	if f.session == nil {
		since := int64(-1)
		if st.downSince != 0 {
			since = st.seconds() - st.downSince
		}
		w.Field("master_link_down_since_seconds", since)
	}
	w.Zeros("replica_full_sync_buffer_size", "replica_full_sync_buffer_peak", "replicas_repl_buffer_size", "replicas_repl_buffer_peak")
	w.Zeros("master_current_sync_attempts", "master_total_sync_attempts")
	if f.session != nil {
		w.Zeros("master_link_up_since_seconds")
	}
	w.Zeros("master_client_io_thread", "total_disconnect_time_sec")
	w.Field("slave_priority", st.number("replica-priority"))
	w.Field("slave_read_only", flag(st.enabled("replica-read-only")))
	w.Field("replica_announced", flag(st.enabled("replica-announced")))
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}
