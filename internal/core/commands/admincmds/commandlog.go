package admincmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// commandLog returns the log that a word names, or nil.
func commandLog(c *server.Ctx, word string) *server.CommandLog {
	switch strings.ToLower(word) {
	case "slow":
		return &c.Server.Slowlog
	case "large-request":
		return &c.Server.LargeRequests
	case "large-reply":
		return &c.Server.LargeReplies
	}
	return nil
}

const errLogType = "ERR type should be one of the following: slow, large-request, large-reply"

// commandlogGet returns entries, newest first.
func commandlogGet(c *server.Ctx) reply.Value {
	count, ok := parse.Int(c.Args[2])
	if !ok || count < -1 {
		return reply.Err(errLogCount)
	}
	l := commandLog(c, c.Args[3])
	if l == nil {
		return reply.Err(errLogType)
	}
	return logEntries(l.Entries, count)
}

func commandlogLen(c *server.Ctx) reply.Value {
	l := commandLog(c, c.Args[2])
	if l == nil {
		return reply.Err(errLogType)
	}
	return reply.Int(int64(len(l.Entries)))
}

func commandlogReset(c *server.Ctx) reply.Value {
	l := commandLog(c, c.Args[2])
	if l == nil {
		return reply.Err(errLogType)
	}
	l.Entries = nil
	return reply.OK()
}

func commandlogHelp() server.Handler {
	return server.Help("COMMANDLOG",
		"GET <count> <type>",
		"    Return top <count> entries of the specified <type> from the commandlog (-1 mean all).",
		"    Entries are made of:",
		"    id, timestamp,",
		"        time in microseconds for type of slow,",
		"        or size in bytes for type of large-request,",
		"        or size in bytes for type of large-reply",
		"    arguments array, client IP and port,",
		"    client name",
		"LEN <type>",
		"    Return the length of the specified type of commandlog.",
		"RESET <type>",
		"    Reset the specified type of commandlog.",
	)
}
