package command

import (
	"fmt"
	"os"
)

func (s *Server) infoServer(w *infoWriter) {
	up := (s.Store.NowMicros() - s.Stats.StartMicros) / 1e6
	exe, _ := os.Executable()
	w.field("redis_version", s.Compat.Version())
	w.field("redis_git_sha1", "00000000")
	w.zeros("redis_git_dirty")
	w.field("redis_build_id", "0000000000000000")
	w.field("redis_mode", s.mode())
	w.field("os", systemName())
	w.field("arch_bits", 32<<(^uint(0)>>63))
	w.field("monotonic_clock", "Go")
	w.field("multiplexing_api", "Go")
	w.field("atomicvar_api", "Go")
	w.field("gcc_version", "0.0.0") // what Redis tells when another compiler made it
	w.field("process_id", os.Getpid())
	w.field("process_supervised", "no")
	w.field("run_id", s.runID)
	w.field("tcp_port", s.Config.Value("port"))
	w.field("server_time_usec", s.Store.NowMicros())
	w.field("uptime_in_seconds", up)
	w.field("uptime_in_days", up/86400)
	w.field("hz", s.Config.Value("hz"))
	w.field("configured_hz", s.Config.Value("hz"))
	w.field("lru_clock", lruClock(s.Store.Now()))
	w.field("executable", exe)
	w.field("config_file", s.configFile)
	w.zeros("io_threads_active")
}

// lruClock is Redis's clock for idle times: seconds, 24 bits.
func lruClock(ms int64) int64 { return ms / 1000 & (1<<24 - 1) }

func (s *Server) infoClients(w *infoWriter) {
	w.field("connected_clients", len(s.sessions))
	w.zeros("cluster_connections")
	w.field("maxclients", s.Config.Value("maxclients"))
	_, input, output := s.sessionsMemory()
	w.field("client_recent_max_input_buffer", input)
	w.field("client_recent_max_output_buffer", output)
	w.field("blocked_clients", s.count)
	w.field("tracking_clients", s.tracking.clients)
	w.field("clients_in_timeout_table", s.timed)
}

func (s *Server) infoPersistence(w *infoWriter) {
	w.zeros("loading", "async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age")
	w.field("current_fork_perc", "0.00")
	w.zeros("current_save_keys_processed", "current_save_keys_total")
	w.field("rdb_changes_since_last_save", s.Store.Dirty())
	w.zeros("rdb_bgsave_in_progress")
	w.field("rdb_last_save_time", s.Stats.StartMicros/1e6)
	w.field("rdb_last_bgsave_status", "ok")
	w.field("rdb_last_bgsave_time_sec", -1)
	w.field("rdb_current_bgsave_time_sec", -1)
	w.zeros("rdb_saves", "rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded",
		"aof_enabled", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
	w.field("aof_last_rewrite_time_sec", -1)
	w.field("aof_current_rewrite_time_sec", -1)
	w.field("aof_last_bgrewrite_status", "ok")
	w.zeros("aof_rewrites", "aof_rewrites_consecutive_failures")
	w.field("aof_last_write_status", "ok")
	w.zeros("aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size")
}

func (s *Server) infoStats(w *infoWriter) {
	st := &s.Stats
	w.field("total_connections_received", st.Connections)
	w.field("total_commands_processed", st.Commands)
	ops, in, out := s.rates.read(s)
	w.field("instantaneous_ops_per_sec", int64(ops))
	w.field("total_net_input_bytes", st.NetIn)
	w.field("total_net_output_bytes", st.NetOut)
	w.zeros("total_net_repl_input_bytes", "total_net_repl_output_bytes")
	w.field("instantaneous_input_kbps", fmt.Sprintf("%.2f", in/1024))
	w.field("instantaneous_output_kbps", fmt.Sprintf("%.2f", out/1024))
	w.field("instantaneous_input_repl_kbps", "0.00")
	w.field("instantaneous_output_repl_kbps", "0.00")
	w.field("rejected_connections", s.Rejected.Load())
	w.zeros("sync_full", "sync_partial_ok", "sync_partial_err")
	if s.Compat >= Redis74 {
		w.field("expired_subkeys", s.Store.ExpiredFields())
	}
	w.field("expired_keys", s.Store.Expired())
	w.field("expired_stale_perc", "0.00")
	w.zeros("expired_time_cap_reached_count")
	w.field("expire_cycle_cpu_milliseconds", st.ExpireNanos/1e6)
	w.field("evicted_keys", s.Store.Evicted())
	w.field("evicted_clients", s.clients.evicted)
	total, current := s.limitExceeded()
	w.field("total_eviction_exceeded_time", total)
	w.field("current_eviction_exceeded_time", current)
	w.field("keyspace_hits", st.Hits)
	w.field("keyspace_misses", st.Misses)
	w.field("pubsub_channels", len(s.topics[onChannel].list))
	w.field("pubsub_patterns", len(s.topics[onPattern].list))
	w.field("pubsubshard_channels", len(s.topics[onShard].list))
	w.zeros("latest_fork_usec", "total_forks",
		"migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
		"active_defrag_key_hits", "active_defrag_key_misses", "total_active_defrag_time", "current_active_defrag_time")
	w.field("tracking_total_keys", s.tracking.table.len())
	w.field("tracking_total_items", s.tracking.table.items)
	w.field("tracking_total_prefixes", len(s.tracking.prefixes))
	w.zeros("unexpected_error_replies")
	w.field("total_error_replies", st.ErrorReplies)
	w.zeros("dump_payload_sanitizations")
	w.field("total_reads_processed", st.Reads)
	w.field("total_writes_processed", st.Writes)
	w.zeros("io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks", "reply_buffer_expands")
}

func (s *Server) infoReplication(w *infoWriter) {
	w.field("role", "master")
	w.zeros("connected_slaves")
	w.field("master_failover_state", "no-failover")
	w.field("master_replid", s.runID)
	w.field("master_replid2", fmt.Sprintf("%040d", 0))
	w.zeros("master_repl_offset")
	w.field("second_repl_offset", -1)
	w.zeros("repl_backlog_active")
	w.field("repl_backlog_size", 1<<20)
	w.zeros("repl_backlog_first_byte_offset", "repl_backlog_histlen")
}
