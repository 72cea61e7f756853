package command

import (
	"strconv"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// debugState is what DEBUG has switched.
type debugState struct {
	skipChecksum  bool // SET-SKIP-CHECKSUM-VALIDATION
	allowNoScript bool // SET-DISABLE-DENY-SCRIPTS: scripts may call commands that are refused to them
	saved         *datastore.Snapshot
	libraries     []string // saved with it: the texts of the libraries
}

// debugCommand is one subcommand of DEBUG. DEBUG is no container in Redis: its subcommands have no rows of their own,
// and what they do not know or have too few or too many arguments for gets one and the same error.
type debugCommand struct {
	name     string
	min, max int // number of arguments, DEBUG and the name included; max 0: any
	run      Handler
}

// debugTable returns the subcommands, which all servers share.
var debugTable = sync.OnceValue(debugCommands)

func debugCommands() []debugCommand {
	return []debugCommand{
		{"help", 2, 2, debugHelp()},
		{"sleep", 3, 3, debugSleep},
		{"set-active-expire", 3, 3, func(c *Ctx) reply.Value {
			c.Server.Store.SetActiveExpire(leadingInt(c.Args, 2) != 0)
			return reply.OK()
		}},
		{"set-skip-checksum-validation", 3, 3, func(c *Ctx) reply.Value {
			c.Server.debug.skipChecksum = leadingInt(c.Args, 2) != 0
			return reply.OK()
		}},
		{"set-disable-deny-scripts", 3, 3, func(c *Ctx) reply.Value {
			c.Server.debug.allowNoScript = leadingInt(c.Args, 2) != 0
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
		{"populate", 3, 5, debugPopulate},
		{"protocol", 3, 3, debugProtocol},
		{"error", 3, 3, func(c *Ctx) reply.Value { return reply.Err(oneLine(c.Args[2])) }},
		{"log", 3, 3, func(c *Ctx) reply.Value {
			c.Server.Log.Warn("DEBUG LOG", "message", c.Args[2])
			return reply.OK()
		}},
		{"stringmatch-test", 2, 2, debugStringMatch},
		{"structsize", 2, 2, func(*Ctx) reply.Value { return reply.Bulk(structSizes) }},
		{"config-rewrite-force-all", 2, 2, debugRewriteAll},
		{"client-eviction", 2, 2, debugClientEviction},
		{"mallctl", 3, 0, debugMallctl},
		{"mallctl-str", 3, 0, debugMallctl},
		{"replybuffer", 4, 4, debugReplyBuffer},
		{"clusterlink", 5, 5, debugClusterLink},
		{"drop-cluster-packet-filter", 3, 3, func(c *Ctx) reply.Value {
			if _, ok := parseInt(c.Args[2]); !ok {
				return reply.Err(errNotInteger)
			}
			return reply.OK()
		}},
		// What there is nothing for here to do with.
		{"aof-flush-sleep", 3, 3, debugNothing},
		{"change-repl-id", 2, 2, debugNothing},
		{"leak", 3, 3, debugNothing},
		{"pause-cron", 3, 3, debugNothing},
		{"replicate", 3, 0, debugNothing},
		// What ends a redis-server.
		{"assert", 2, 0, debugCrash},
		{"crash-and-recover", 2, 0, debugRestart},
		{"oom", 2, 0, debugCrash},
		{"panic", 2, 0, debugCrash},
		{"restart", 2, 0, debugRestart},
		{"segfault", 2, 0, debugCrash},
	}
}

func debug(c *Ctx) reply.Value {
	name := strings.ToLower(cut(c.Args[1], len(c.Args[1])))
	for _, d := range debugTable() {
		if d.name == name && c.NArg() >= d.min && (d.max == 0 || c.NArg() <= d.max) {
			return d.run(c)
		}
	}
	return debugUnknown(c)
}

func debugUnknown(c *Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try DEBUG HELP.",
		oneLine(cut(c.Args[1], 128)))
}

func debugNothing(*Ctx) reply.Value { return reply.OK() }

// debugAllowed reports whether enable-debug-command lets the session use DEBUG.
func (s *Server) debugAllowed(sess *Session) bool {
	switch s.Config.Value("enable-debug-command") {
	case "yes":
		return true
	case "no":
		return false
	}
	return sess.local()
}

// local reports whether the session's peer is on this machine: in process, on a unix socket or on a loopback address.
func (sess *Session) local() bool {
	host := sess.Addr
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return host == "" || strings.Contains(host, "/") || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}

const errDebugRefused = `ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local ` +
	`connection, otherwise you need to set this option in the configuration file, and then restart the server.`

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

// structSizes are the sizes in bytes of Redis's structures on a machine of 64 bits. Tools read the first number.
const structSizes = "bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 "

// debugMallctl answers as if every name were unknown: Go's allocator has none of jemalloc's.
func debugMallctl(*Ctx) reply.Value { return reply.Err("ERR No such file or directory") }

func debugReplyBuffer(c *Ctx) reply.Value {
	switch {
	case isToken(c.Args[2], "peak-reset-time"):
		if _, ok := parseInt(c.Args[3]); !ok && !isToken(c.Args[3], "never") && !isToken(c.Args[3], "reset") {
			return reply.Err(errNotInteger)
		}
	case !isToken(c.Args[2], "resizing"):
		return debugUnknown(c)
	}
	return reply.OK()
}

func debugClusterLink(c *Ctx) reply.Value {
	if !isToken(c.Args[2], "kill") {
		return debugUnknown(c)
	}
	if c.Server.cluster != nil {
		return unknownNode(c.Args[4])
	}
	return reply.Err("ERR Debug option only available for cluster mode enabled setup!")
}

// debugCrash refuses what ends a redis-server: here it would take the program with it that the engine is part of.
func debugCrash(c *Ctx) reply.Value {
	return reply.Err("ERR DEBUG " + strings.ToUpper(cut(c.Args[1], 32)) + " would end the program that this engine is part of")
}

func debugRestart(c *Ctx) reply.Value {
	if c.NArg() > 2 {
		if _, ok := parseInt(c.Args[2]); !ok {
			return reply.Err(errNotInteger)
		}
	}
	return debugCrash(c)
}

func debugStringMatch(c *Ctx) reply.Value {
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
		MatchGlob(text(), text(), false)
	}
	return reply.Status("Apparently Redis did not crash: test passed")
}
