package command

import (
	"fmt"
	"runtime"
	"unsafe"
)

// memoryUse is what INFO and MEMORY STATS tell of the memory that counts for maxmemory.
type memoryUse struct {
	used, peak       uint64
	startup          uint64
	clients          uint64 // with their buffers, which do not count
	scripts          uint64 // sources of scripts
	functions        uint64 // and of functions
	overhead         uint64 // all but keys and values
	dataset          uint64
	tables, expiring []uint64 // by database, what its tables take
	keys             uint64
}

// memoryUse looks at the memory used, and keeps the highest use up to date.
func (s *Server) memoryUse() memoryUse {
	clients, _, _ := s.sessionsMemory()
	u := memoryUse{used: s.UsedMemory(), startup: startupMemory, clients: uint64(clients)}
	s.memory.peak = max(s.memory.peak, u.used)
	u.peak = s.memory.peak
	if s.Scripts != nil {
		u.scripts = uint64(s.Scripts.Bytes())
	}
	if s.Functions != nil {
		u.functions = uint64(s.Functions.Bytes())
	}
	u.overhead = s.overheadMemory()
	for i := range s.Store.Databases() {
		db := s.Store.DB(i)
		tables, expiring := uint64(db.Overhead()), uint64(8*db.Expires())
		if db.Len() == 0 {
			tables, expiring = 0, 0
		}
		u.tables, u.expiring = append(u.tables, tables), append(u.expiring, expiring)
		u.overhead += tables + expiring
		u.keys += uint64(db.Len())
	}
	u.overhead = min(u.overhead, u.used)
	u.dataset = u.used - u.overhead
	return u
}

// share is what percentage the data set is of all that came after the start.
func (u *memoryUse) share() float64 {
	return 100 * float64(u.dataset) / float64(max(1, u.used-u.startup))
}

// clientMemory is what the sessions take that counts: they, without their buffers.
func (s *Server) clientMemory() uint64 {
	return uint64(len(s.sessions)) * uint64(unsafe.Sizeof(Session{}))
}

// infoMemory tells of the memory that counts for maxmemory, and of the whole process: the Go heap, and what the runtime got from the
// system.
func (s *Server) infoMemory(w *infoWriter) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := s.memoryUse()
	size := func(name string, n uint64) {
		w.field(name, n)
		w.field(name+"_human", human(n))
	}
	ratio := func(name string, a, b uint64) {
		w.field(name+"_ratio", fmt.Sprintf("%.2f", float64(a)/float64(max(1, b))))
		w.field(name+"_bytes", int64(a)-int64(b))
	}
	resident, rss := m.HeapSys-m.HeapReleased, m.Sys-m.HeapReleased
	size("used_memory", u.used)
	size("used_memory_rss", rss)
	size("used_memory_peak", u.peak)
	w.field("used_memory_peak_perc", fmt.Sprintf("%.2f%%", 100*float64(u.used)/float64(u.peak)))
	w.field("used_memory_overhead", u.overhead)
	w.field("used_memory_startup", u.startup)
	w.field("used_memory_dataset", u.dataset)
	w.field("used_memory_dataset_perc", fmt.Sprintf("%.2f%%", u.share()))
	w.field("allocator_allocated", m.HeapAlloc)
	w.field("allocator_active", m.HeapInuse)
	w.field("allocator_resident", resident)
	size("total_system_memory", systemMemory())
	w.field("used_memory_lua", 0) // it is part of the Go heap
	w.field("used_memory_vm_eval", 0)
	w.field("used_memory_lua_human", human(0))
	w.field("used_memory_scripts_eval", u.scripts)
	scripts := 0
	if s.Scripts != nil {
		scripts = s.Scripts.Len()
	}
	w.field("number_of_cached_scripts", scripts)
	libraries, functions := s.countFunctions()
	w.field("number_of_functions", functions)
	w.field("number_of_libraries", libraries)
	w.field("used_memory_vm_functions", 0)
	w.field("used_memory_vm_total", 0)
	w.field("used_memory_vm_total_human", human(0))
	w.field("used_memory_functions", u.functions)
	size("used_memory_scripts", u.scripts+u.functions)
	size("maxmemory", s.Config.memory.limit)
	w.field("maxmemory_policy", s.Config.Value("maxmemory-policy"))
	ratio("allocator_frag", m.HeapInuse, m.HeapAlloc)
	ratio("allocator_rss", resident, m.HeapInuse)
	ratio("rss_overhead", rss, resident)
	ratio("mem_fragmentation", rss, u.used)
	w.zeros("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers", "mem_clients_slaves")
	w.field("mem_clients_normal", u.clients)
	w.zeros("mem_cluster_links", "mem_aof_buffer")
	w.field("mem_allocator", runtime.Version())
	w.zeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects")
}
