package server

import (
	"fmt"
	"os"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

func (s *Server) infoServer(w *InfoWriter) {
	up := (s.Store.NowMicros() - s.Stats.StartMicros) / 1e6
	exe, _ := os.Executable()
	w.Field("redis_version", s.Follows.RedisRelease())
	w.Field("server_name", s.Follows.Kind().String())
	w.Field("valkey_version", s.Follows.Release())
	w.Field("valkey_release_stage", "ga")
	w.Field("redis_git_sha1", "00000000")
	w.Zeros("redis_git_dirty")
	w.Field("redis_build_id", "0000000000000000")
	w.Field(s.modeField(), s.ModeName())
	w.Field("os", systemName())
	w.Field("arch_bits", 32<<(^uint(0)>>63))
	w.Field("monotonic_clock", "Go")
	w.Field("multiplexing_api", "Go")
	w.Field("atomicvar_api", "Go")
	w.Field("gcc_version", "0.0.0") // Redis shows this if it was built by another compiler
	w.Field("process_id", os.Getpid())
	w.Field("process_supervised", "no")
	w.Field("run_id", s.runID)
	w.Field("tcp_port", s.Config.Value("port"))
	w.Field("server_time_usec", s.Store.NowMicros())
	w.Field("uptime_in_seconds", up)
	w.Field("uptime_in_days", up/86400)
	w.Field("hz", s.Config.Value("hz"))
	w.Field("configured_hz", s.Config.Value("hz"))
	w.Field("clients_hz", s.Config.Value("hz"))
	w.Field("lru_clock", LRUClock(s.Store.Now()))
	w.Field("executable", exe)
	w.Field("config_file", s.ConfigFile)
	w.Zeros("io_threads_active")
	w.Field("availability_zone", s.Config.Value("availability-zone"))
	if at := s.shutdownAt(); at != 0 {
		w.Field("shutdown_in_milliseconds", at-s.Store.Now())
	}
	if port := s.Config.Value("port"); port != "0" {
		bind := ""
		for _, address := range strings.Fields(s.Config.Value("bind")) {
			bind += ",bind=" + address
		}
		w.Field("listener0", "name=tcp"+bind+",port="+port)
	}
}

// SaysRedis reports whether the server calls itself Redis, as Valkey does for old clients.
func (s *Server) SaysRedis() bool {
	return !s.Follows.Has(servers.OwnName) || s.Config.Value("extended-redis-compatibility") == "yes"
}

// modeField returns the name of the field with the mode.
func (s *Server) modeField() string {
	if s.SaysRedis() {
		return "redis_mode"
	}
	return "server_mode"
}

// infoTLS writes that the server has no certificates: connections with TLS are those of a
// resp.Server.
func (s *Server) infoTLS(w *InfoWriter) {
	for _, certificate := range []string{"server_cert", "client_cert", "ca_cert"} {
		w.Field("tls_"+certificate+"_serial", "none")
		w.Zeros("tls_" + certificate + "_expires_in_seconds")
	}
}

// infoThreads writes the only thread that serves clients.
func (s *Server) infoThreads(w *InfoWriter) {
	w.Field("io_thread_0", fmt.Sprintf("clients=%d,reads=%d,writes=%d", s.Clients.Connected(), s.Stats.Reads, s.Stats.Writes))
}

// infoModules writes the module that Lua is in some servers.
func (s *Server) infoModules(w *InfoWriter) {
	if s.Follows.Has(servers.LuaModule) {
		w.Field("module", "name=lua,ver=1,api=1,filters=0,usedby=[],using=[],options=[handle-repl-async-load|handle-atomic-slot-migration]")
	}
}

// infoScriptingEngines writes the only engine. Its memory is a part of the Go heap.
func (s *Server) infoScriptingEngines(w *InfoWriter) {
	w.Field("engines_count", 1)
	w.Zeros("engines_total_used_memory", "engines_total_memory_overhead")
	w.Field("engine_0", "name=LUA,module=lua,abi_version=4,used_memory=0,memory_overhead=0")
}

func (s *Server) infoDebug(w *InfoWriter) {
	w.Zeros("eventloop_duration_aof_sum", "eventloop_duration_cron_sum", "eventloop_duration_max", "eventloop_cmd_per_cycle_max",
		"allocator_allocated_lua", "allocator_active_lua", "allocator_resident_lua", "allocator_frag_bytes_lua",
		"io_threaded_reads_pending", "io_threaded_writes_pending")
}

// LRUClock is Redis's clock for idle times: seconds, 24 bits.
func LRUClock(ms int64) int64 { return ms / 1000 & (1<<24 - 1) }

// BlockedClients returns the number of sessions whose command waits.
func (s Control) BlockedClients() int { return s.waiterCount }

// TrackingClients returns the number of sessions that have turned CLIENT TRACKING on.
func (s Control) TrackingClients() int { return s.tracking.clients }

func (s *Server) infoClients(w *InfoWriter) {
	w.Field("connected_clients", s.Clients.Connected())
	w.Zeros("cluster_connections")
	w.Field("maxclients", s.Config.Value("maxclients"))
	_, input, output := s.sessionsMemory()
	w.Field("client_recent_max_input_buffer", input)
	w.Field("client_recent_max_output_buffer", output)
	w.Field("blocked_clients", s.waiterCount)
	w.Field("tracking_clients", s.tracking.clients)
	w.Field("pubsub_clients", s.Clients.count(func(sess *Session) bool { return sess.subscribed > 0 }))
	w.Field("watching_clients", s.Clients.count(func(sess *Session) bool { return len(sess.Watching) > 0 }))
	w.Field("clients_in_timeout_table", s.timedWaiters)
	w.Field("total_watched_keys", len(s.Clients.watched))
	w.Field("total_blocking_keys", len(s.Queues))
	w.Field("total_blocking_keys_on_nokey", s.queuesWithoutKey())
	reason, actions, left := s.describePause()
	w.Field("paused_reason", reason)
	w.Field("paused_actions", actions)
	w.Field("paused_timeout_milliseconds", left)
}

// queuesWithoutKey returns the number of keys for which a command waits even if they are removed.
func (s *waiters) queuesWithoutKey() (n int) {
	for _, q := range s.Queues {
		if q.unblockOnNoKey > 0 {
			n++
		}
	}
	return n
}

// describePause returns who has paused the clients, what waits, and for how many ms.
func (s *Server) describePause() (reason, actions string, left int64) {
	reason, actions = "none", "none"
	now := s.Store.Now()
	for purpose, part := range s.Pause.parts {
		if part.mode == PauseNone || part.end <= now || part.end-now < left {
			continue
		}
		reason = [...]string{PauseByClient: "client_pause", PauseForShutdown: "shutdown_in_progress",
			PauseForFailover: "failover_in_progress"}[purpose]
		actions = [...]string{PauseWrite: "write", PauseAll: "all"}[part.mode]
		left = part.end - now
	}
	return reason, actions, left
}

func (s *Server) infoPersistence(w *InfoWriter) {
	w.Field("loading", bit(s.Loading.Active && !s.Loading.Async))
	w.Field("async_loading", bit(s.Loading.Async))
	if s.Persistence != nil {
		s.Persistence.WriteInfo(w)
		s.infoLoading(w)
		return
	}
	w.Zeros("current_cow_peak", "current_cow_size", "current_cow_size_age")
	w.Field("current_fork_perc", "0.00")
	w.Zeros("current_save_keys_processed", "current_save_keys_total")
	w.Field("rdb_changes_since_last_save", s.changes())
	w.Zeros("rdb_bgsave_in_progress")
	w.Field("rdb_last_save_time", s.Stats.StartMicros/1e6)
	w.Field("rdb_last_bgsave_status", "ok")
	w.Field("rdb_last_bgsave_time_sec", -1)
	w.Field("rdb_current_bgsave_time_sec", -1)
	w.Zeros("rdb_saves", "rdb_saves_consecutive_failures", "rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded",
		"aof_enabled", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
	w.Field("aof_last_rewrite_time_sec", -1)
	w.Field("aof_current_rewrite_time_sec", -1)
	w.Field("aof_last_bgrewrite_status", "ok")
	w.Zeros("aof_rewrites", "aof_rewrites_consecutive_failures")
	w.Field("aof_last_write_status", "ok")
	w.Zeros("aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size",
		"slot_migration_fork_in_progress")
	s.infoLoading(w)
}

// bit returns 1 for true, as INFO shows it.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Server) infoStats(w *InfoWriter) {
	st := &s.Stats
	w.Field("total_connections_received", st.Connections)
	w.Field("total_commands_processed", st.Commands)
	ops, in, out := s.readRates(s.Store.NowMicros())
	w.Field("instantaneous_ops_per_sec", int64(ops))
	w.Field("total_net_input_bytes", st.NetIn)
	w.Field("total_net_output_bytes", st.NetOut)
	var repl ReplicationCounts
	if s.Replication != nil {
		repl = s.Replication.Counts()
	}
	w.Field("total_net_repl_input_bytes", repl.BytesIn)
	w.Field("total_net_repl_output_bytes", repl.BytesOut)
	w.Zeros("total_net_cluster_slot_import_bytes", "total_net_cluster_slot_export_bytes")
	w.Field("instantaneous_input_kbps", fmt.Sprintf("%.2f", in/1024))
	w.Field("instantaneous_output_kbps", fmt.Sprintf("%.2f", out/1024))
	w.Field("instantaneous_input_repl_kbps", "0.00")
	w.Field("instantaneous_output_repl_kbps", "0.00")
	w.Field("rejected_connections", s.Rejected.Load())
	w.Field("sync_full", repl.FullSyncs)
	w.Field("sync_partial_ok", repl.PartialSyncs)
	w.Field("sync_partial_err", repl.RefusedPartialSyncs)
	w.Field("expired_subkeys", s.Store.ExpiredFields())
	w.Field("expired_subkeys_active", st.ActiveFields)
	w.Field("expired_keys", s.Store.Expired())
	w.Field("expired_keys_active", st.ActiveKeys)
	w.Field("expired_fields", s.Store.ExpiredFields())
	w.Field("expired_stale_perc", "0.00")
	w.Field("expired_keys_with_volatile_items_stale_perc", "0.00")
	w.Zeros("expired_time_cap_reached_count")
	w.Field("expire_cycle_cpu_milliseconds", st.ExpireNanos/1e6)
	w.Field("evicted_keys", s.Store.Evicted())
	w.Field("evicted_clients", s.Clients.Evicted)
	w.Field("evicted_scripts", st.EvictedScripts)
	total, current := s.Memory.Exceeded(s.Owner.Monotonic())
	w.Field("total_eviction_exceeded_time", total)
	w.Field("current_eviction_exceeded_time", current)
	w.Field("keyspace_hits", st.Hits)
	w.Field("keyspace_misses", st.Misses)
	w.Field("pubsub_channels", len(s.Topics[OnChannel].List))
	w.Field("pubsub_patterns", len(s.Topics[OnPattern].List))
	w.Field("pubsubshard_channels", len(s.Topics[OnShard].List))
	took := st.Images.Took.Microseconds()
	if st.Images.Took > 0 {
		took = max(took, 1)
	}
	w.Field("latest_fork_usec", took)
	w.Field("total_forks", st.Images.Begun)
	w.Field("migrate_cached_sockets", s.MigrateSockets.Len())
	w.Field("slave_expires_tracked_keys", s.Store.OwnExpiring())
	w.Zeros("active_defrag_hits", "active_defrag_misses",
		"active_defrag_key_hits", "active_defrag_key_misses", "total_active_defrag_time", "current_active_defrag_time")
	w.Field("tracking_total_keys", s.tracking.table.len())
	w.Field("tracking_total_items", s.tracking.table.items)
	w.Field("tracking_total_prefixes", len(s.tracking.prefixes))
	w.Field("unexpected_error_replies", st.UnexpectedErrors)
	w.Field("total_error_replies", st.ErrorReplies)
	w.Zeros("dump_payload_sanitizations")
	w.Field("total_reads_processed", st.Reads)
	w.Field("total_writes_processed", st.Writes)
	w.Zeros("io_threaded_reads_processed", "io_threaded_writes_processed", "io_threaded_freed_objects", "io_threaded_accept_processed",
		"io_threaded_poll_processed", "io_threaded_total_prefetch_batches", "io_threaded_total_prefetch_entries",
		"client_query_buffer_limit_disconnections")
	w.Field("client_output_buffer_limit_disconnections", st.TooSlow)
	w.Zeros("reply_buffer_shrinks", "reply_buffer_expands", "eventloop_cycles", "eventloop_duration_sum", "eventloop_duration_cmd_sum",
		"instantaneous_eventloop_cycles_per_sec", "instantaneous_eventloop_duration_usec")
	w.Field("acl_access_denied_auth", st.Denied[acl.DeniedAuth])
	w.Field("acl_access_denied_cmd", st.Denied[acl.DeniedCommand])
	w.Field("acl_access_denied_key", st.Denied[acl.DeniedKey])
	w.Field("acl_access_denied_channel", st.Denied[acl.DeniedChannel])
	w.Zeros("acl_access_denied_tls_cert")
	w.Field("acl_access_denied_db", st.Denied[acl.DeniedDatabase])
}

func (s *Server) infoReplication(w *InfoWriter) {
	if s.Replication != nil {
		s.Replication.WriteInfo(w)
	}
}
