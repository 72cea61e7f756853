package debuggingcmds

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// debugClientEviction reports the number of clients in each size class.
func debugClientEviction(c *server.Ctx) reply.Value {
	if !c.Server.LimitsClientMemory() {
		return reply.Err("ERR maxmemory-clients is disabled.")
	}
	var bytes, count [server.SizeClasses]int64
	for _, sess := range c.Server.Clients.ByID {
		c.Server.Account(sess)
		if sess.Evictable() {
			i := server.SizeClass(sess.Counted)
			bytes[i] += sess.Counted
			count[i]++
		}
	}
	var b strings.Builder
	for i := range server.SizeClasses {
		low := int64(0)
		if i > 0 {
			low = 1 << (server.SmallestClass + i - 1)
		}
		if i == server.SizeClasses-1 {
			fmt.Fprintf(&b, "bucket %10d+            : ", low)
		} else {
			fmt.Fprintf(&b, "bucket %10d - %10d: ", low, int64(1)<<(server.SmallestClass+i)-1)
		}
		fmt.Fprintf(&b, "tot-mem: %10d, clients: %d\n", bytes[i], count[i])
	}
	return reply.Verbatim("txt", b.String())
}
