package server

// infoFields are the rules of the fields that not all servers have.
var infoFields = map[string]serverRange{
	// Server.
	"server_name":          since("-/7.2.0"),
	"valkey_version":       since("-/7.2.0"),
	"valkey_release_stage": since("-/8.1.0"),
	"atomicvar_api":        until("-/8.0.0"),
	"clients_hz":           since("-/8.1.0"),
	"availability_zone":    since("-/8.0.0"),
	"listener0":            since("7.2.0"),

	// Clients.
	"pubsub_clients":               since("7.4.0/8.0.0"),
	"watching_clients":             since("7.4.0/8.0.0"),
	"total_watched_keys":           since("7.4.0/8.0.0"),
	"total_blocking_keys":          since("7.2.0"),
	"total_blocking_keys_on_nokey": since("7.2.0"),
	"paused_reason":                since("-/8.1.0"),
	"paused_actions":               since("-/8.1.0"),
	"paused_timeout_milliseconds":  since("-/8.1.0"),

	// Memory.
	"used_memory_peak_time":                        since("8.2.0/-"),
	"allocator_muzzy":                              since("7.4.0/8.0.0"),
	"mem_replica_full_sync_buffer":                 since("8.0.0/-"),
	"mem_replicas_repl_buffer":                     since("-/9.0.0"),
	"mem_cluster_slot_migration_output_buffer":     since("8.4.0/-"),
	"mem_cluster_slot_migration_input_buffer":      since("8.4.0/-"),
	"mem_cluster_slot_migration_input_buffer_peak": since("8.4.0/-"),
	"mem_cluster_slot_import":                      since("-/9.0.0"),
	"mem_cluster_slot_export":                      since("-/9.0.0"),
	"mem_overhead_db_hashtable_rehashing":          since("7.4.0/8.0.0"),

	// Persistence.
	"rdb_saves_consecutive_failures":  since("8.2.0/-"),
	"slot_migration_fork_in_progress": since("-/9.0.0"),

	// Stats.
	"total_net_cluster_slot_import_bytes":         since("-/9.0.0"),
	"total_net_cluster_slot_export_bytes":         since("-/9.0.0"),
	"expired_subkeys":                             since("7.4.0/-"),
	"expired_subkeys_active":                      since("8.2.0/-"),
	"expired_keys_active":                         since("8.2.0/-"),
	"expired_fields":                              since("-/9.0.0"),
	"expired_keys_with_volatile_items_stale_perc": since("-/9.0.0"),
	"evicted_scripts":                             since("7.4.0/8.0.0"),
	"io_threaded_freed_objects":                   since("-/8.0.0"),
	"io_threaded_accept_processed":                since("-/8.1.0"),
	"io_threaded_poll_processed":                  since("-/8.0.0"),
	"io_threaded_total_prefetch_batches":          since("8.2.0/8.0.0"),
	"io_threaded_total_prefetch_entries":          since("8.2.0/8.0.0"),
	"client_query_buffer_limit_disconnections":    since("7.4.0/8.0.0"),
	"client_output_buffer_limit_disconnections":   since("7.4.0/8.0.0"),
	"eventloop_cycles":                            since("7.2.0"),
	"eventloop_duration_sum":                      since("7.2.0"),
	"eventloop_duration_cmd_sum":                  since("7.2.0"),
	"instantaneous_eventloop_cycles_per_sec":      since("7.2.0"),
	"instantaneous_eventloop_duration_usec":       since("7.2.0"),
	"acl_access_denied_auth":                      since("7.2.0"),
	"acl_access_denied_cmd":                       since("7.2.0"),
	"acl_access_denied_key":                       since("7.2.0"),
	"acl_access_denied_channel":                   since("7.2.0"),
	"acl_access_denied_tls_cert":                  since("8.6.0/9.0.0"),
	"acl_access_denied_db":                        since("-/9.1.0"),

	// Replication.
	"replica_full_sync_buffer_size": since("8.0.0/-"),
	"replica_full_sync_buffer_peak": since("8.0.0/-"),
	"replicas_repl_buffer_size":     since("-/8.0.0"),
	"replicas_repl_buffer_peak":     since("-/8.0.0"),
	"master_current_sync_attempts":  since("8.2.0/-"),
	"master_total_sync_attempts":    since("8.2.0/-"),
	"master_link_up_since_seconds":  since("8.2.0/-"),
	"master_client_io_thread":       since("8.2.0/-"),
	"total_disconnect_time_sec":     since("8.2.0/-"),
	"replicas_waiting_psync":        since("-/8.0.0"),

	// CPU.
	"used_active_time_main_thread": since("-/9.0.0"),

	// Debug.
	"allocator_allocated_lua":    since("8.0.0/-"),
	"allocator_active_lua":       since("8.0.0/-"),
	"allocator_resident_lua":     since("8.0.0/-"),
	"allocator_frag_bytes_lua":   since("8.0.0/-"),
	"io_threaded_reads_pending":  since("-/9.0.0"),
	"io_threaded_writes_pending": since("-/9.0.0"),
}
