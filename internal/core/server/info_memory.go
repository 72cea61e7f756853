package server

import (
	"fmt"
	"runtime"
)

// memoryUse is the memory that counts for maxmemory, as INFO and MEMORY STATS show it.
type memoryUse struct {
	Used, Peak       uint64
	Startup          uint64
	Clients          uint64 // without buffers, which do not count for maxmemory
	Scripts          uint64 // source code of scripts
	Functions        uint64 // source code of functions
	Overhead         uint64 // everything except keys and values
	Dataset          uint64
	Tables, Expiring []uint64 // size of the tables, by database
	Keys             uint64
}

// MemoryUse measures the memory used and updates the peak.
func (s *Server) MemoryUse() memoryUse {
	clients, _, _ := s.sessionsMemory()
	u := memoryUse{Used: s.UsedMemory(), Startup: StartupMemory, Clients: uint64(clients)}
	s.notePeak(u.Used)
	u.Peak = s.Memory.peak
	if s.Scripts != nil {
		u.Scripts = uint64(s.Scripts.Bytes())
	}
	if s.Functions != nil {
		u.Functions = uint64(s.Functions.Bytes())
	}
	u.Overhead = s.overheadMemory()
	for i := range s.Store.Databases() {
		db := s.Store.DB(i)
		tables, expiring := uint64(db.Overhead()), uint64(8*db.Expires())
		if db.Len() == 0 {
			tables, expiring = 0, 0
		}
		u.Tables, u.Expiring = append(u.Tables, tables), append(u.Expiring, expiring)
		u.Overhead += tables + expiring
		u.Keys += uint64(db.Len())
	}
	u.Overhead = min(u.Overhead, u.Used)
	u.Dataset = u.Used - u.Overhead
	return u
}

// notePeak notes the memory used if it is more than ever before.
func (s *Server) notePeak(used uint64) {
	if used > s.Memory.peak {
		s.Memory.peak, s.Memory.peakAt = used, s.Store.Now()
	}
}

// Share returns the percentage of the data set in all memory allocated after the start.
func (u *memoryUse) Share() float64 {
	return 100 * float64(u.Dataset) / float64(max(1, u.Used-u.Startup))
}

// infoMemory writes the memory that counts for maxmemory, and that of the whole process: the Go
// heap, and what the runtime got from the system.
func (s *Server) infoMemory(w *InfoWriter) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := s.MemoryUse()
	size := func(name string, n uint64) {
		w.Field(name, n)
		w.Field(name+"_human", Human(n))
	}
	ratio := func(name string, a, b uint64) {
		w.Field(name+"_ratio", fmt.Sprintf("%.2f", float64(a)/float64(max(1, b))))
		w.Field(name+"_bytes", int64(a)-int64(b))
	}
	resident, rss := m.HeapSys-m.HeapReleased, m.Sys-m.HeapReleased
	size("used_memory", u.Used)
	size("used_memory_rss", rss)
	size("used_memory_peak", u.Peak)
	w.Field("used_memory_peak_time", s.Memory.peakAt/1000)
	w.Field("used_memory_peak_perc", fmt.Sprintf("%.2f%%", 100*float64(u.Used)/float64(u.Peak)))
	w.Field("used_memory_overhead", u.Overhead)
	w.Field("used_memory_startup", u.Startup)
	w.Field("used_memory_dataset", u.Dataset)
	w.Field("used_memory_dataset_perc", fmt.Sprintf("%.2f%%", u.Share()))
	w.Field("allocator_allocated", m.HeapAlloc)
	w.Field("allocator_active", m.HeapInuse)
	w.Field("allocator_resident", resident)
	w.Zeros("allocator_muzzy")
	size("total_system_memory", systemMemory())
	w.Field("used_memory_lua", 0) // it is part of the Go heap
	w.Field("used_memory_vm_eval", 0)
	w.Field("used_memory_lua_human", Human(0))
	w.Field("used_memory_scripts_eval", u.Scripts)
	scripts := 0
	if s.Scripts != nil {
		scripts = s.Scripts.Len()
	}
	w.Field("number_of_cached_scripts", scripts)
	libraries, functions := s.CountFunctions()
	w.Field("number_of_functions", functions)
	w.Field("number_of_libraries", libraries)
	w.Field("used_memory_vm_functions", 0)
	w.Field("used_memory_vm_total", 0)
	w.Field("used_memory_vm_total_human", Human(0))
	w.Field("used_memory_functions", u.Functions)
	size("used_memory_scripts", u.Scripts+u.Functions)
	size("maxmemory", s.Config.Memory.Limit)
	w.Field("maxmemory_policy", s.Config.Value("maxmemory-policy"))
	ratio("allocator_frag", m.HeapInuse, m.HeapAlloc)
	ratio("allocator_rss", resident, m.HeapInuse)
	ratio("rss_overhead", rss, resident)
	ratio("mem_fragmentation", rss, u.Used)
	var buffers, backlog int64
	if s.Replication != nil {
		buffers, backlog = s.Replication.Buffers()
	}
	w.Zeros("mem_not_counted_for_evict")
	w.Field("mem_replication_backlog", backlog)
	w.Field("mem_total_replication_buffers", buffers)
	w.Zeros("mem_replica_full_sync_buffer", "mem_replicas_repl_buffer")
	w.Field("mem_clients_slaves", buffers-backlog)
	w.Field("mem_clients_normal", u.Clients)
	w.Zeros("mem_cluster_slot_migration_output_buffer", "mem_cluster_slot_migration_input_buffer",
		"mem_cluster_slot_migration_input_buffer_peak", "mem_cluster_links", "mem_cluster_slot_import", "mem_cluster_slot_export",
		"mem_aof_buffer")
	w.Field("mem_allocator", runtime.Version())
	w.Zeros("mem_overhead_db_hashtable_rehashing", "active_defrag_running", "lazyfree_pending_objects")
	w.Field("lazyfreed_objects", s.Store.LazyFreed())
}
