package debuggingcmds

import (
	"fmt"
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// debugObject describes a value, even an expired one. The address is not a real one.
func debugObject(c *server.Ctx) reply.Value {
	e := c.DB.Raw(c.Args[2])
	if e == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	idle := e.Idle(c.Now())
	o, opt := e.Object(), keycmds.DumpOptions(c.Server)
	line := fmt.Sprintf("Value at:0x%012x refcount:%d encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
		0, refCount(o), o.Encoding(), datastore.DumpSize(o, opt), server.LRUClock(c.Now()-idle), idle/1000)
	if l, ok := o.(*datastore.List); ok && o.Encoding() == "quicklist" {
		n, compressed := l.Nodes(), 0
		if n.Compressed {
			compressed = 1
		}
		line += fmt.Sprintf(" ql_nodes:%d ql_avg_node:%.2f ql_listpack_max:%d ql_compressed:%d ql_uncompressed_size:%d",
			n.Count, float64(l.Len())/float64(n.Count), n.Fill, compressed, n.Bytes)
	}
	return reply.Status(line)
}

// refCount returns the reference count of Redis, where all keys share small integers.
func refCount(o datastore.Object) int64 {
	if s, ok := o.(*datastore.String); ok && s.Shared() {
		return math.MaxInt32
	}
	return 1
}

// debugSDSLen reports the lengths of a key and its value, and the memory that they would take in
// Redis: there a string has a header and a zero byte at its end, and jemalloc rounds up to one of
// its sizes.
func debugSDSLen(c *server.Ctx) reply.Value {
	e := c.DB.Raw(c.Args[2])
	if e == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	s, ok := e.Object().(*datastore.String)
	if !ok || s.Encoding() == "int" {
		return reply.Err("ERR Not an sds encoded string.")
	}
	key, val := len(c.Args[2]), s.Len()
	header := 3
	if key < 32 {
		header = 1
	}
	size := allocated(val + 4)
	return reply.Status(fmt.Sprintf("key_sds_len:%d, key_sds_avail:0, key_zmalloc: %d, val_sds_len:%d, val_sds_avail:%d, val_zmalloc: %d",
		key, allocated(key+header+1), val, size-val-4, size))
}

// allocated returns the size that jemalloc allocates for n bytes: there are four sizes from one
// power of two to the next.
func allocated(n int) int {
	if n <= 8 {
		return 8
	}
	step := 16
	for step*8 < n {
		step *= 2
	}
	return (n + step - 1) / step * step
}

// debugListpack writes to the log what Redis writes to its standard output.
func debugListpack(c *server.Ctx) reply.Value {
	e := keycmds.LookupObject(c)
	switch {
	case e == nil:
		return reply.Err(errtext.NoSuchKey)
	case e.Object().Encoding() != "listpack":
		return reply.Err("ERR Not a listpack encoded object.")
	}
	c.Server.Log.Info("DEBUG LISTPACK", "key", c.Args[2], "elements", e.Object().Len())
	return reply.Status("Listpack structure printed on stdout")
}

func debugQuicklist(c *server.Ctx) reply.Value {
	e := keycmds.LookupObject(c)
	if e == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	l, ok := e.Object().(*datastore.List)
	if !ok || l.Encoding() != "quicklist" {
		return reply.Err("ERR Not a quicklist encoded object.")
	}
	n := l.Nodes()
	c.Server.Log.Info("DEBUG QUICKLIST", "key", c.Args[2], "elements", l.Len(), "nodes", n.Count, "bytes", n.Bytes)
	return reply.Status("Quicklist structure printed on stdout")
}

// debugPackedThreshold sets the size from which on an element of a list has a node of its own.
func debugPackedThreshold(c *server.Ctx) reply.Value {
	n, ok := config.ParseMemory(c.Args[2])
	if !ok || n > 1<<32-1<<20 {
		return reply.Err("ERR argument must be a memory value bigger than 1 and smaller than 4gb")
	}
	c.Server.Store.Limits().ListPackedThreshold = int(n)
	return reply.OK()
}

func debugTables(c *server.Ctx) reply.Value {
	n, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case n < 0 || n >= int64(c.Server.Store.Databases()):
		return reply.Err("ERR Out of range database")
	}
	keys, expires := c.Server.Store.DB(int(n)).TableStats()
	return reply.Verbatim("txt", "[Dictionary HT]\n"+tableText(keys)+"[Expires HT]\n"+tableText(expires))
}

func debugTableOfKey(c *server.Ctx) reply.Value {
	e := keycmds.LookupObject(c)
	if e == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	t, ok := datastore.TableStatsOf(e.Object())
	if !ok {
		return reply.Err("ERR The value stored at the specified key is not represented using an hash table")
	}
	return reply.Verbatim("txt", tableText(t))
}

// longestChain is the longest chain that has a line of its own. Longer chains are counted in that
// line.
const longestChain = 49

func tableText(t datastore.TableStats) string {
	const head = "Hash table 0 stats (main hash table):\n"
	if t.Elements == 0 {
		return head + "No stats available for empty dictionaries\n"
	}
	used := t.Slots - t.Chains[0]
	var b strings.Builder
	fmt.Fprintf(&b, head+" table size: %d\n number of elements: %d\n different slots: %d\n max chain length: %d\n", t.Slots, t.Elements, used,
		len(t.Chains)-1)
	average := float64(t.Elements) / float64(used)
	fmt.Fprintf(&b, " avg chain length (counted): %.02f\n avg chain length (computed): %.02f\n Chain length distribution:\n", average, average)
	for len(t.Chains) > longestChain+1 {
		last := len(t.Chains) - 1
		t.Chains[last-1] += t.Chains[last]
		t.Chains = t.Chains[:last]
	}
	for n, slots := range t.Chains {
		if slots == 0 {
			continue
		}
		more := ""
		if n == longestChain {
			more = ">= "
		}
		fmt.Fprintf(&b, "   %s%d: %d (%.02f%%)\n", more, n, slots, float64(slots)/float64(t.Slots)*100)
	}
	return b.String()
}
