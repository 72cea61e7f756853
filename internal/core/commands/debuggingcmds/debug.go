package debuggingcmds

import (
	"strconv"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/commands/clustercmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// subcommand is a subcommand of DEBUG. DEBUG is not a container in Redis: its subcommands have no
// rows, and an unknown subcommand and a wrong number of arguments give the same error.
type subcommand struct {
	name     string
	min, max int // number of arguments, including DEBUG and the name; max 0: no limit
	run      server.Handler
}

// subcommands is made on first use and shared by all servers.
var subcommands = sync.OnceValue(makeSubcommands)

func makeSubcommands() []subcommand {
	return []subcommand{
		{"help", 2, 2, debugHelp()},
		{"sleep", 3, 3, debugSleep},
		{"set-active-expire", 3, 3, func(c *server.Ctx) reply.Value {
			c.Server.Store.SetActiveExpire(cmdtable.LeadingInt(c.Args, 2) != 0)
			return reply.OK()
		}},
		{"set-skip-checksum-validation", 3, 3, func(c *server.Ctx) reply.Value {
			c.Server.Debug.SkipChecksum = cmdtable.LeadingInt(c.Args, 2) != 0
			return reply.OK()
		}},
		{"set-disable-deny-scripts", 3, 3, func(c *server.Ctx) reply.Value {
			c.Server.Debug.AllowNoScript = cmdtable.LeadingInt(c.Args, 2) != 0
			return reply.OK()
		}},
		{"quicklist-packed-threshold", 3, 3, debugPackedThreshold},
		{"object", 3, 3, debugObject},
		{"sdslen", 3, 3, debugSDSLen},
		{"listpack", 3, 3, debugListpack},
		{"quicklist", 3, 4, debugQuicklist},
		{"htstats", 3, 3, debugTables},
		{"htstats-key", 3, 3, debugTableOfKey},
		{"digest", 2, 2, debugDigest},
		{"digest-value", 2, 0, debugDigestValue},
		{"reload", 2, 0, debugReload},
		{"loadaof", 2, 0, debugLoadAOF},
		{"replicate", 3, 0, func(c *server.Ctx) reply.Value {
			if c.Server.Replication != nil {
				c.Server.Replication.Feed(c.Args[2:])
			}
			return reply.OK()
		}},
		{"populate", 3, 5, debugPopulate},
		{"protocol", 3, 3, debugProtocol},
		{"error", 3, 3, func(c *server.Ctx) reply.Value { return reply.Err(errtext.OneLine(c.Args[2])) }},
		{"log", 3, 3, func(c *server.Ctx) reply.Value {
			c.Server.Log.Warn("DEBUG LOG: " + c.Args[2])
			return reply.OK()
		}},
		{"stringmatch-test", 2, 2, debugStringMatch},
		{"structsize", 2, 2, func(*server.Ctx) reply.Value { return reply.Bulk(structSizes) }},
		{"config-rewrite-force-all", 2, 2, debugRewriteAll},
		{"client-eviction", 2, 2, debugClientEviction},
		{"mallctl", 3, 0, debugMallctl},
		{"mallctl-str", 3, 0, debugMallctl},
		{"replybuffer", 4, 4, debugReplyBuffer},
		{"clusterlink", 5, 5, debugClusterLink},
		{"drop-cluster-packet-filter", 3, 3, func(c *server.Ctx) reply.Value {
			if _, ok := parse.Int(c.Args[2]); !ok {
				return reply.Err(errtext.NotInteger)
			}
			return reply.OK()
		}},
		{"change-repl-id", 2, 2, func(c *server.Ctx) reply.Value {
			replication.Of(c.Server).ChangeID()
			return reply.OK()
		}},
		// These have nothing to act on here.
		{"aof-flush-sleep", 3, 3, debugNothing},
		{"leak", 3, 3, debugNothing},
		{"pause-cron", 3, 3, debugNothing},
		// These end a redis-server.
		{"assert", 2, 0, debugCrash},
		{"crash-and-recover", 2, 0, debugRestart},
		{"oom", 2, 0, debugCrash},
		{"panic", 2, 0, debugCrash},
		{"restart", 2, 0, debugRestart},
		{"segfault", 2, 0, debugCrash},
	}
}

func debug(c *server.Ctx) reply.Value {
	name := strings.ToLower(errtext.Cut(c.Args[1], len(c.Args[1])))
	for _, d := range subcommands() {
		if d.name == name && c.NArg() >= d.min && (d.max == 0 || c.NArg() <= d.max) {
			return d.run(c)
		}
	}
	return debugUnknown(c)
}

func debugUnknown(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try DEBUG HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)))
}

func debugNothing(*server.Ctx) reply.Value { return reply.OK() }

// debugSleep waits for the seconds that C's strtod would read: 0 for text that does not begin with
// a number.
func debugSleep(c *server.Ctx) reply.Value {
	text := c.Args[2]
	for len(text) > 0 {
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			if seconds > 0 {
				c.Server.Owner.Wait(int64(seconds * 1e6))
			}
			break
		}
		text = text[:len(text)-1]
	}
	return reply.OK()
}

// structSizes gives the sizes in bytes of Redis's structures on a 64-bit machine. Tools read the
// first number.
const structSizes = "bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 "

// debugMallctl replies as if every name were unknown, because Go's allocator has none of jemalloc's
// parameters.
func debugMallctl(*server.Ctx) reply.Value { return reply.Err("ERR No such file or directory") }

func debugReplyBuffer(c *server.Ctx) reply.Value {
	switch {
	case parse.IsToken(c.Args[2], "peak-reset-time"):
		if _, ok := parse.Int(c.Args[3]); !ok && !parse.IsToken(c.Args[3], "never") && !parse.IsToken(c.Args[3], "reset") {
			return reply.Err(errtext.NotInteger)
		}
	case !parse.IsToken(c.Args[2], "resizing"):
		return debugUnknown(c)
	}
	return reply.OK()
}

func debugClusterLink(c *server.Ctx) reply.Value {
	if !parse.IsToken(c.Args[2], "kill") {
		return debugUnknown(c)
	}
	if c.Server.Cluster != nil {
		return clustercmds.UnknownNode(c.Args[4])
	}
	return reply.Err("ERR Debug option only available for cluster mode enabled setup!")
}

// debugCrash refuses to end the program: the engine is only a part of it.
func debugCrash(c *server.Ctx) reply.Value {
	return reply.Err("ERR DEBUG " + strings.ToUpper(errtext.Cut(c.Args[1], 32)) + " would end the program that this engine is part of")
}

func debugRestart(c *server.Ctx) reply.Value {
	if c.NArg() > 2 {
		if _, ok := parse.Int(c.Args[2]); !ok {
			return reply.Err(errtext.NotInteger)
		}
	}
	return debugCrash(c)
}

func debugStringMatch(c *server.Ctx) reply.Value {
	const letters = "ab*?[]^-\\"
	r := c.Server.Store.Rand()
	text := func() string {
		b := make([]byte, r.IntN(16))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for range 20000 {
		glob.Match(text(), text(), false)
	}
	return reply.Status("Apparently Redis did not crash: test passed")
}

// debugRewriteAll is CONFIG REWRITE of all parameters, including those with default values.
func debugRewriteAll(c *server.Ctx) reply.Value {
	if c.Server.ConfigFile == "" {
		return reply.Err("ERR CONFIG-REWRITE-FORCE-ALL failed: Bad address")
	}
	if err := c.Server.RewriteFile(true); err != nil {
		return reply.Err("ERR CONFIG-REWRITE-FORCE-ALL failed: " + files.Strerror(err))
	}
	return reply.OK()
}
