package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// debug runs the subcommands of DEBUG, which is no container in Redis: its subcommands have no
// rows of their own.
func debug(c *Ctx) reply.Value {
	switch n := c.NArg(); strings.ToLower(c.Args[1]) {
	case "help":
		if n == 2 {
			return debugHelp()(c)
		}
	case "sleep":
		if n == 3 {
			return debugSleep(c)
		}
	case "set-active-expire":
		if n == 3 {
			c.Server.Store.SetActiveExpire(leadingInt(c.Args, 2) != 0)
			return reply.OK()
		}
	case "object":
		if n == 3 {
			return debugObject(c)
		}
	}
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try DEBUG HELP.",
		oneLine(cut(c.Args[1], 128)))
}

func debugHelp() Handler {
	return help("DEBUG",
		"OBJECT <key>",
		"    Show low level info about `key` and associated value.",
		"SET-ACTIVE-EXPIRE <0|1>",
		"    Setting it to 0 disables expiring keys in background when they are not",
		"    accessed (otherwise the Redis behavior). Setting it to 1 reenables back the",
		"    default.",
		"SLEEP <seconds>",
		"    Stop the server for <seconds>. Decimals allowed.",
	)
}

// debugSleep waits as long as C's strtod reads from the argument: 0 for text that is no number.
func debugSleep(c *Ctx) reply.Value {
	text := c.Args[2]
	for len(text) > 0 {
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			if seconds > 0 && c.Server.Wait != nil {
				c.Server.Wait(int64(seconds * 1e6))
			}
			break
		}
		text = text[:len(text)-1]
	}
	return reply.OK()
}

// debugObject tells what is known of a value. The address is none, and the serialized length is the
// bytes of the elements: there is no RDB form to measure.
func debugObject(c *Ctx) reply.Value {
	e := c.DB.Peek(c.Args[2])
	if e == nil {
		return reply.Err(errNoSuchKey)
	}
	idle := e.Idle(c.Now())
	o := e.Object()
	line := fmt.Sprintf("Value at:0x%012x refcount:%d encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
		0, refCount(o), o.Encoding(), o.Len(), lruClock(c.Now()-idle), idle/1000)
	if o.Encoding() == "quicklist" {
		line += fmt.Sprintf(" ql_nodes:1 ql_avg_node:%d.00 ql_listpack_max:%s ql_compressed:0 ql_uncompressed_size:%d",
			o.Len(), c.Server.Config.Value("list-max-listpack-size"), o.Len())
	}
	return reply.Status(line)
}

// refCount is what Redis would tell: small integers are shared by all keys.
func refCount(o datastore.Object) int64 {
	if s, ok := o.(*datastore.String); ok && s.Shared() {
		return math.MaxInt32
	}
	return 1
}
