package admincmds

import (
	"fmt"
	"runtime"
	goruntime "runtime/debug"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// memoryUsage estimates the bytes that a key takes in this process, not in Redis.
func memoryUsage(c *server.Ctx) reply.Value {
	for i := 3; i < c.NArg(); i++ {
		if !parse.IsToken(c.Args[i], "samples") || i+1 == c.NArg() {
			return reply.Err(errtext.Syntax)
		}
		i++
		n, ok := parse.Int(c.Args[i])
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		if n < 0 {
			return reply.Err(errtext.Syntax)
		}
	}
	e := c.DB.Raw(c.Args[2])
	if e == nil {
		return reply.Nil()
	}
	return reply.Int(int64(c.Server.Store.Usage(e)))
}

// memoryStats returns Redis's fields in its order. Fields about the allocator describe Go's; fields
// without a counterpart here are 0.
func memoryStats(c *server.Ctx) reply.Value {
	s := c.Server
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := s.MemoryUse()
	var out []reply.Value
	whole := func(name string, n uint64) { out = append(out, reply.Bulk(name), reply.Int(int64(n))) }
	ratio := func(name string, a, b uint64) {
		out = append(out, reply.Bulk(name), c.Double(float64(a)/float64(max(1, b))))
	}
	resident, rss := m.HeapSys-m.HeapReleased, m.Sys-m.HeapReleased
	whole("peak.allocated", u.Peak)
	whole("total.allocated", u.Used)
	whole("startup.allocated", u.Startup)
	whole("replication.backlog", 0)
	whole("clients.slaves", 0)
	whole("clients.normal", u.Clients)
	whole("cluster.links", 0)
	whole("aof.buffer", 0)
	whole("lua.caches", u.Scripts)
	whole("functions.caches", u.Functions)
	for i := range s.Store.Databases() {
		if s.Store.DB(i).Len() > 0 {
			out = append(out, reply.Bulk(fmt.Sprintf("db.%d", i)), reply.Map(
				reply.Bulk("overhead.hashtable.main"), reply.Int(int64(u.Tables[i])),
				reply.Bulk("overhead.hashtable.expires"), reply.Int(int64(u.Expiring[i])),
				reply.Bulk("overhead.hashtable.slot-to-keys"), reply.Int(0)))
		}
	}
	whole("overhead.total", u.Overhead)
	whole("keys.count", u.Keys)
	perKey := uint64(0)
	if u.Keys > 0 {
		perKey = (u.Used - u.Startup) / u.Keys
	}
	whole("keys.bytes-per-key", perKey)
	whole("dataset.bytes", u.Dataset)
	out = append(out, reply.Bulk("dataset.percentage"), c.Double(u.Share()))
	ratio("peak.percentage", 100*u.Used, u.Peak)
	whole("allocator.allocated", m.HeapAlloc)
	whole("allocator.active", m.HeapInuse)
	whole("allocator.resident", resident)
	ratio("allocator-fragmentation.ratio", m.HeapInuse, m.HeapAlloc)
	whole("allocator-fragmentation.bytes", m.HeapInuse-m.HeapAlloc)
	ratio("allocator-rss.ratio", resident, m.HeapInuse)
	whole("allocator-rss.bytes", resident-m.HeapInuse)
	ratio("rss-overhead.ratio", rss, resident)
	whole("rss-overhead.bytes", rss-resident)
	ratio("fragmentation", rss, u.Used)
	whole("fragmentation.bytes", rss-u.Used)
	return reply.Map(out...)
}

// smallHeap is the heap size in bytes below which Redis's doctor does not judge an instance.
const smallHeap = 5 << 20

// memoryDoctor reports in its own words, except for an empty instance, where it uses Redis's.
func memoryDoctor(*server.Ctx) reply.Value {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc < smallHeap {
		return reply.Verbatim("txt", "Hi Sam, this instance is empty or is using very little memory, my issues detector can't be used in these "+
			"conditions. Please, leave for your mission on Earth and fill it with some data. The new Sam and I will be back to our "+
			"programming as soon as I finished rebooting.\n")
	}
	return reply.Verbatim("txt", fmt.Sprintf("The heap holds %s in %s from the system.\n", server.Human(m.HeapAlloc),
		server.Human(m.Sys-m.HeapReleased)))
}

// memoryPurge returns free memory to the operating system.
func memoryPurge(*server.Ctx) reply.Value {
	goruntime.FreeOSMemory()
	return reply.OK()
}

// memoryMallocStats shows the memory statistics of Go's runtime.
func memoryMallocStats(*server.Ctx) reply.Value {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nAllocated: %d, in use: %d, from the system: %d, given back: %d\nObjects: %d, collections: %d\n",
		runtime.Version(), m.HeapAlloc, m.HeapInuse, m.HeapSys, m.HeapReleased, m.HeapObjects, m.NumGC)
	b.WriteString("size: objects allocated, freed\n")
	for _, c := range m.BySize {
		if c.Mallocs > 0 {
			fmt.Fprintf(&b, "%d: %d, %d\n", c.Size, c.Mallocs, c.Frees)
		}
	}
	return reply.Verbatim("txt", b.String())
}

func memoryHelp() server.Handler {
	return server.Help("MEMORY",
		"DOCTOR",
		"    Return memory problems reports.",
		"MALLOC-STATS",
		"    Return internal statistics report from the memory allocator.",
		"PURGE",
		"    Attempt to purge dirty pages for reclamation by the allocator.",
		"STATS",
		"    Return information about the memory usage of the server.",
		"USAGE <key> [SAMPLES <count>]",
		"    Return memory in bytes used by <key> and its value. Nested values are",
		"    sampled up to <count> times (default: 5, 0 means sample all).",
	)
}
