package admincmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const errLogCount = "ERR count should be greater than or equal to -1"

// slowlogGet returns entries, newest first.
func slowlogGet(c *server.Ctx) reply.Value {
	count := int64(10)
	switch c.NArg() {
	case 2:
	case 3:
		n, ok := parse.Int(c.Args[2])
		if !ok || n < -1 {
			return reply.Err(errLogCount)
		}
		count = n
	default:
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try SLOWLOG HELP.",
			errtext.OneLine(errtext.Cut(c.Args[1], 128)))
	}
	return logEntries(c.Server.Slowlog.Entries, count)
}

// logEntries returns the newest entries of a log, newest first. A negative count is that of all.
func logEntries(entries []server.CommandEntry, count int64) reply.Value {
	if count < 0 || count > int64(len(entries)) {
		count = int64(len(entries))
	}
	out := make([]reply.Value, 0, count)
	for i := len(entries) - 1; int64(len(out)) < count; i-- {
		e := &entries[i]
		out = append(out, reply.Array(reply.Int(e.ID), reply.Int(e.At), reply.Int(e.Value), reply.Array(server.Bulks(e.Args)...),
			reply.Bulk(e.Addr), reply.Bulk(e.Name)))
	}
	return reply.Array(out...)
}

func slowlogLen(c *server.Ctx) reply.Value { return reply.Int(int64(len(c.Server.Slowlog.Entries))) }

func slowlogReset(c *server.Ctx) reply.Value {
	c.Server.Slowlog.Entries = nil
	return reply.OK()
}

func slowlogHelp() server.Handler {
	return server.Help("SLOWLOG",
		"GET [<count>]",
		"    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
		"    Entries are made of:",
		"    id, timestamp, time in microseconds, arguments array, client IP and port,",
		"    client name",
		"LEN",
		"    Return the length of the slowlog.",
		"RESET",
		"    Reset the slowlog.",
	)
}
