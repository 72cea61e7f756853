package command

import (
	"fmt"
	"runtime"
)

// infoMemory tells of the whole process: the Go heap, and what the runtime got from the system. The memory of the Lua VMs is part of
// the heap and not told apart.
func (s *Server) infoMemory(w *infoWriter) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.peakHeap = max(s.peakHeap, m.HeapAlloc)
	size := func(name string, n uint64) {
		w.field(name, n)
		w.field(name+"_human", human(n))
	}
	ratio := func(name string, a, b uint64) { w.field(name, fmt.Sprintf("%.2f", float64(a)/float64(max(1, b)))) }
	percent := func(name string, a, b uint64) {
		w.field(name, fmt.Sprintf("%.2f%%", 100*float64(a)/float64(max(1, b))))
	}
	more := func(name string, a, b uint64) { w.field(name, int64(a)-int64(b)) }

	scripts, source := 0, 0
	if s.Scripts != nil {
		scripts, source = s.Scripts.Len(), s.Scripts.Bytes()
	}
	libraries, functions := s.countFunctions()
	overhead := min(s.overhead()+uint64(source), m.HeapAlloc)
	resident, all := m.HeapSys-m.HeapReleased, m.Sys-m.HeapReleased

	size("used_memory", m.HeapAlloc)
	size("used_memory_rss", all)
	size("used_memory_peak", s.peakHeap)
	percent("used_memory_peak_perc", m.HeapAlloc, s.peakHeap)
	w.field("used_memory_overhead", overhead)
	w.zeros("used_memory_startup")
	w.field("used_memory_dataset", m.HeapAlloc-overhead)
	percent("used_memory_dataset_perc", m.HeapAlloc-overhead, m.HeapAlloc)
	w.field("allocator_allocated", m.HeapAlloc)
	w.field("allocator_active", m.HeapInuse)
	w.field("allocator_resident", resident)
	size("total_system_memory", systemMemory())
	w.zeros("used_memory_lua", "used_memory_vm_eval")
	w.field("used_memory_lua_human", human(0))
	w.field("used_memory_scripts_eval", source)
	w.field("number_of_cached_scripts", scripts)
	w.field("number_of_functions", functions)
	w.field("number_of_libraries", libraries)
	w.zeros("used_memory_vm_functions")
	size("used_memory_vm_total", 0)
	w.zeros("used_memory_functions")
	size("used_memory_scripts", uint64(source))
	size("maxmemory", uint64(s.Config.Int("maxmemory")))
	w.field("maxmemory_policy", s.Config.Value("maxmemory-policy"))
	ratio("allocator_frag_ratio", m.HeapInuse, m.HeapAlloc)
	more("allocator_frag_bytes", m.HeapInuse, m.HeapAlloc)
	ratio("allocator_rss_ratio", resident, m.HeapInuse)
	more("allocator_rss_bytes", resident, m.HeapInuse)
	ratio("rss_overhead_ratio", all, resident)
	more("rss_overhead_bytes", all, resident)
	ratio("mem_fragmentation_ratio", all, m.HeapAlloc)
	more("mem_fragmentation_bytes", all, m.HeapAlloc)
	w.zeros("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
		"mem_clients_slaves", "mem_clients_normal", "mem_cluster_links", "mem_aof_buffer")
	w.field("mem_allocator", runtime.Version())
	w.zeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects")
}

// overhead is what the tables of keys take, in bytes.
func (s *Server) overhead() (bytes uint64) {
	for i := range s.Store.Databases() {
		if db := s.Store.DB(i); db.Len() > 0 {
			bytes += uint64(db.Overhead()) + 8*uint64(db.Expires())
		}
	}
	return bytes
}
