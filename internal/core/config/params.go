package config

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// ParamKind says how the value of a parameter is read and written.
type ParamKind uint8

// The kinds.
const (
	textParam   ParamKind = iota // a C string: a NUL byte ends it
	binaryParam                  // any bytes
	boolParam
	intParam
	memoryParam // bytes, with a unit
	enumParam
	checkedParam // what Param.check accepts
	ListParam    // the same, of several words
)

// Param is the one declaration of a configuration parameter.
type Param struct {
	Name, Alias string
	Kind        ParamKind
	Def         string
	min, max    int64 // of numbers, both inclusive; a memoryParam with max -1 takes any 64 unsigned bits
	enum        []string
	synonyms    map[string]string // other words for values of enum
	Immutable   bool
	Hidden      bool   // patterns do not find it
	NotLoading  bool   // it cannot be changed while the data set is being loaded
	Protected   bool   // only the operator may change it, and enable-protected-configs says no
	does        string // what the parameter does here; "": nothing, see without
	without     string // why the value of the parameter is only kept; "" if it has an effect

	clampMin, clampMax int64 // numbers beyond are brought to the nearest; both 0: none
	leastSet           int64 // CONFIG SET takes smaller numbers as this one; a file may give less. 0: none

	// check reads a new value of a checkedParam or ListParam, given the present one. It returns the
	// value as CONFIG GET will return it, or Redis's text about what is wrong with it.
	check func(value, present string) (canonical, problem string)
	show  func(value string) string // how CONFIG GET shows a value; nil: as it is

	// refuse returns why a valid value cannot take effect, or "". It is called when the value changes.
	// See Config.RefusalAt.
	refuse func(value string) string
	// AllowedInFile is set if the configuration file may set values that refuse refuses.
	AllowedInFile bool
	// RefusedInFile says why the configuration file cannot set another value than the default: the
	// parameter belongs to something that Redmoon does not have. "" if the file can.
	RefusedInFile string
	// Applied names the parameters that the program around the engine applies together, by the first
	// of them; "": the engine alone applies the parameter. AppliedAlways is set if it does so even if
	// the value stays the same.
	Applied       string
	AppliedAlways bool
	// keepsEmpty is set if CONFIG REWRITE writes an empty text. Other parameters whose text is empty
	// vanish from the file.
	keepsEmpty bool
	// limit is where the value lives, for encoding limits.
	limit func(*datastore.Limits) *int
	// apply copies a new value to where it is read, in the form in which it is read. Optional.
	apply      func(c *Config, value string, n int64)
	file       fileKind      // not "": a text must be a name without a directory
	from, gone servers.Since // the servers that have it, and those that have it no more; gone "": none
	changes    []paramChange
	// changed returns the function to call after a change; that may be nil. Optional.
	changed func(*Config) func()
}

// Reasons why several parameters have no effect.
const (
	noDefrag    = "Go does not move values in memory"
	aloneNode   = "the node is alone in its cluster"
	goSessions  = "Go resumes sessions with tickets"
	goThreads   = "Go's scheduler chooses the threads; use taskset"
	ownTests    = "it is for Redis's own tests"
	background  = "the garbage collector frees values in the background"
	goroutines  = "each connection has a goroutine"
	goCipher    = "Go chooses the cipher"
	noPasswords = "private keys with a password are not supported"
)

const (
	maxInt  = math.MaxInt32
	maxLong = math.MaxInt64
)

// fileKind is what the name in a parameter belongs to.
type fileKind string

const (
	fileName fileKind = "filename"
	dirName  fileKind = "dirname"
)

// named makes a text the name of something in the directory dir, without a path.
func (p Param) named(kind fileKind) Param { p.file = kind; return p }

func numParam(name, def string, min, max int64) Param {
	return Param{Name: name, Kind: intParam, Def: def, min: min, max: max}
}

func memRange(name, def string, min, max int64) Param {
	return Param{Name: name, Kind: memoryParam, Def: def, min: min, max: max}
}

func yesNo(name, def string) Param { return Param{Name: name, Kind: boolParam, Def: def} }

func text(name, def string) Param { return Param{Name: name, Def: def} }

func oneOf(name, def string, values ...string) Param {
	return Param{Name: name, Kind: enumParam, Def: def, enum: values}
}

func checked(name, def string, check func(value, present string) (string, string)) Param {
	return Param{Name: name, Kind: checkedParam, Def: def, check: check}
}

func listOf(name, def string, check func(value, present string) (string, string)) Param {
	return Param{Name: name, Kind: ListParam, Def: def, check: check}
}

// lazyFree is a parameter lazyfree-lazy-*. also says what else it does.
func lazyFree(name, also string, field func(*datastore.LazyFree) *bool) Param {
	return yesNo("lazyfree-lazy-"+name, "no").defaultLater("-/8.0.0", "yes").effect("what lazyfreed_objects counts" + also).
		appliedBy(func(c *Config, v string, _ int64) { *field(&c.limits.LazyFree) = v == "yes" })
}

func (p Param) fixed() Param { p.Immutable = true; return p }

func (p Param) protected() Param { p.Protected = true; return p }

func (p Param) notLoading() Param { p.NotLoading = true; return p }

func (p Param) hidden() Param { p.Hidden = true; return p }

func (p Param) alias(alias string) Param { p.Alias = alias; return p }

func (p Param) clamp(min, max int64) Param { p.clampMin, p.clampMax = min, max; return p }

func (p Param) setsAtLeast(least int64) Param { p.leastSet = least; return p }

func (p Param) storedIn(limit func(*datastore.Limits) *int) Param { p.limit = limit; return p }

func (p Param) appliedBy(apply func(*Config, string, int64)) Param { p.apply = apply; return p }

func (p Param) refusedBy(refuse func(string) string) Param { p.refuse = refuse; return p }

func (p Param) allowedInFile() Param { p.AllowedInFile = true; return p }

func (p Param) refusedInFile(why string) Param { p.RefusedInFile = why; return p }

func (p Param) ofTLS() Param {
	p.AppliedAlways = true
	return p.outside("tls").effect("`redmoon serve`: new connections over TLS; CONFIG SET reads the files again")
}

// outside makes the program around the engine apply the parameter; see Param.Applied.
func (p Param) outside(group string) Param { p.Applied = group; return p }

func (p Param) emptyStays() Param { p.keepsEmpty = true; return p }

// shownBy sets how CONFIG GET shows a value that it does not show unchanged.
func (p Param) shownBy(show func(string) string) Param { p.show = show; return p }

// effect sets what the parameter does here.
func (p Param) effect(text string) Param { p.does = text; return p }

// noEffect says why the value of the parameter is only kept.
func (p Param) noEffect(why string) Param { p.without = why; return p }

// params declares every parameter of all servers.
func params() []Param {
	var all []Param
	for _, part := range [][]Param{limitParams(), memoryParams(), clientParams(), serverParams(), timingParams(),
		persistenceParams(), replicationParams(), clusterParams(), tlsParams(), processParams(), hiddenParams(), laterParams()} {
		all = append(all, part...)
	}
	return all
}

// limitParams are the sizes until which values keep their compact encodings.
func limitParams() []Param {
	const hash, zset = "when hashes leave listpack for hashtable", "when sorted sets leave listpack for skiplist"
	return []Param{
		numParam("hash-max-listpack-entries", "512", 0, maxLong).alias("hash-max-ziplist-entries").effect(hash).
			storedIn(func(l *datastore.Limits) *int { return &l.HashMaxListpackEntries }),
		memRange("hash-max-listpack-value", "64", 0, maxLong).alias("hash-max-ziplist-value").effect(hash).
			storedIn(func(l *datastore.Limits) *int { return &l.HashMaxListpackValue }),
		numParam("zset-max-listpack-entries", "128", 0, maxLong).alias("zset-max-ziplist-entries").effect(zset).
			storedIn(func(l *datastore.Limits) *int { return &l.ZSetMaxListpackEntries }),
		memRange("zset-max-listpack-value", "64", 0, maxLong).alias("zset-max-ziplist-value").effect(zset).
			storedIn(func(l *datastore.Limits) *int { return &l.ZSetMaxListpackValue }),
		numParam("set-max-intset-entries", "512", 0, maxLong).effect("when sets of integers leave intset for hashtable").
			storedIn(func(l *datastore.Limits) *int { return &l.SetMaxIntsetEntries }),
		numParam("set-max-listpack-entries", "128", 0, maxLong).since("7.2.0").effect("when sets leave listpack for hashtable").
			storedIn(func(l *datastore.Limits) *int { return &l.SetMaxListpackEntries }),
		memRange("set-max-listpack-value", "64", 0, maxLong).since("7.2.0").effect("when sets leave listpack for hashtable").
			storedIn(func(l *datastore.Limits) *int { return &l.SetMaxListpackValue }),
		numParam("list-max-listpack-size", "-2", math.MinInt32, maxInt).alias("list-max-ziplist-size").
			effect("the size of the nodes of lists").
			storedIn(func(l *datastore.Limits) *int { return &l.ListMaxListpackSize }),
		numParam("list-compress-depth", "0", 0, maxInt).effect("which nodes of lists are compressed in dumps").
			storedIn(func(l *datastore.Limits) *int { return &l.ListCompressDepth }),
		memRange("hll-sparse-max-bytes", "3000", 0, maxLong).effect("when HyperLogLogs leave their sparse form").
			storedIn(func(l *datastore.Limits) *int { return &l.HLLSparseMaxBytes }),
		memRange("stream-node-max-bytes", "4096", 0, maxLong).effect("the size of the nodes of streams").
			storedIn(func(l *datastore.Limits) *int { return &l.StreamNodeMaxBytes }),
		numParam("stream-node-max-entries", "100", 0, maxLong).effect("the size of the nodes of streams").
			storedIn(func(l *datastore.Limits) *int { return &l.StreamNodeMaxEntries }),
		numParam("stream-idmp-duration", "100", 1, 86400).since("8.6.0/-").
			effect("for how many seconds new streams remember the ids of producers").
			storedIn(func(l *datastore.Limits) *int { return &l.StreamIDMPDuration }),
		numParam("stream-idmp-maxsize", "100", 1, 10000).since("8.6.0/-").
			effect("how many ids of a producer new streams remember").
			storedIn(func(l *datastore.Limits) *int { return &l.StreamIDMPMaxSize }),
	}
}

// unlessNo refuses every other value than no.
func unlessNo(why string) func(value string) string {
	return func(v string) string {
		if v == "no" {
			return ""
		}
		return why
	}
}

// memoryParams are about maxmemory, what is evicted, and how memory is given back.
func memoryParams() []Param {
	return []Param{
		memRange("maxmemory", "0", 0, -1).effect("the used_memory above which keys are evicted, or commands refused").
			appliedBy(func(c *Config, v string, _ int64) {
				c.Memory.setLimit(v)
				c.updateOwnIntegers()
			}),
		oneOf("maxmemory-policy", "noeviction", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
			"allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction").later("8.6.0/-", func(p *Param) {
			p.enum = []string{"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "volatile-lrm",
				"allkeys-lru", "allkeys-lfu", "allkeys-random", "allkeys-lrm", "noeviction"}
		}).
			effect("which keys are evicted, and whether OBJECT FREQ or OBJECT IDLETIME is kept for keys").
			appliedBy(func(c *Config, v string, _ int64) {
				c.limits.LFU = strings.HasSuffix(v, "lfu")
				c.Memory.setPolicy(v)
				c.updateOwnIntegers()
			}),
		numParam("maxmemory-samples", "5", 1, maxInt).later("7.2.0", func(p *Param) { p.max = maxSamples }).
			effect("the number of keys of a database that are sampled to evict one, at most 64").
			appliedBy(func(c *Config, _ string, n int64) { c.Memory.Policy.Samples = int(min(n, maxSamples)) }),
		numParam("maxmemory-eviction-tenacity", "10", 0, 100).effect("how long one command may evict").
			appliedBy(func(c *Config, _ string, n int64) { c.Memory.tenacity = n }),
		checked("maxmemory-clients", "0", parseMemoryOrPercent).effect("the memory of all connections above which the largest are closed").
			appliedBy(func(c *Config, v string, _ int64) { c.setClientLimit(v) }),
		numParam("lfu-log-factor", "10", 0, maxInt).effect("OBJECT FREQ").storedIn(func(l *datastore.Limits) *int { return &l.LFULogFactor }),
		numParam("lfu-decay-time", "1", 0, maxInt).effect("OBJECT FREQ").storedIn(func(l *datastore.Limits) *int { return &l.LFUDecayTime }),
		lazyFree("eviction", ", and whether the effect is UNLINK, not DEL", func(l *datastore.LazyFree) *bool { return &l.Evict }),
		lazyFree("expire", ", and whether the effect is UNLINK, not DEL", func(l *datastore.LazyFree) *bool { return &l.Expire }),
		lazyFree("server-del", "", func(l *datastore.LazyFree) *bool { return &l.Replace }),
		lazyFree("user-del", ", and whether the effect of GETDEL is UNLINK, not DEL", func(l *datastore.LazyFree) *bool { return &l.Delete }),
		lazyFree("user-flush", "", func(l *datastore.LazyFree) *bool { return &l.Flush }),
		yesNo("activerehashing", "yes").noEffect("tables grow while commands use them"),
		yesNo("activedefrag", "no").noEffect(noDefrag).
			refusedBy(unlessNo("Active defragmentation cannot be enabled: it requires a Redis server compiled with a modified Jemalloc "+
				"like the one shipped by default with the Redis source distribution")).
			later("-/8.0.0", func(p *Param) {
				p.refuse = unlessNo("Active defragmentation cannot be enabled: it requires a server compiled with a modified Jemalloc " +
					"like the one shipped by default with the source distribution")
			}),
		numParam("active-defrag-cycle-min", "1", 1, 99).noEffect(noDefrag),
		numParam("active-defrag-cycle-max", "25", 1, 99).noEffect(noDefrag),
		numParam("active-defrag-threshold-lower", "10", 0, 1000).noEffect(noDefrag),
		numParam("active-defrag-threshold-upper", "100", 0, 1000).noEffect(noDefrag),
		memRange("active-defrag-ignore-bytes", "104857600", 1, maxLong).noEffect(noDefrag),
		numParam("active-defrag-max-scan-fields", "1000", 1, maxLong).noEffect(noDefrag),
		yesNo("jemalloc-bg-thread", "yes").noEffect("the allocator is that of Go"),
	}
}

// clientParams are about clients and their connections.
func clientParams() []Param {
	listening := func(problem string) func(string) string {
		return func(string) string { return problem }
	}
	return []Param{
		numParam("port", "6379", 0, 65535).outside("port").effect("`redmoon serve`: the port of TCP connections; 0: none").
			refusedBy(listening("Unable to listen on this port. Check server logs.")).allowedInFile(),
		listOf("bind", "* -::*", parseBind).outside("bind").
			effect("`redmoon serve`: the addresses that it listens on; with a dash before it, an address may be missing").
			refusedBy(listening("Failed to bind to specified addresses.")).allowedInFile(),
		text("bind-source-addr", "").effect("the address from which the server connects to its master"),
		text("unixsocket", "").fixed().effect("`redmoon serve`: the path of a unix socket"),
		checked("unixsocketperm", "0", parseOctal).fixed().effect("`redmoon serve`: the permissions of the unix socket"),
		numParam("tcp-backlog", "511", 0, maxInt).fixed().effect("`redmoon serve`: how many connections may wait; Linux only"),
		numParam("timeout", "0", 0, maxInt).effect("the seconds after which an idle connection is closed").
			limitsConn(func(l *ConnLimits) *int64 { return &l.IdleTimeout }),
		numParam("tcp-keepalive", "300", 0, maxInt).effect("the seconds between probes of new idle connections").
			limitsConn(func(l *ConnLimits) *int64 { return &l.KeepAlive }),
		numParam("maxclients", "10000", 1, math.MaxUint32).outside("maxclients").
			effect("the number of connections above which new ones are refused").
			limitsConn(func(l *ConnLimits) *int64 { return &l.MaxClients }),
		yesNo("protected-mode", "yes").effect("connections from other machines are refused while the user default needs no password"),
		numParam("socket-mark-id", "0", 0, math.MaxUint32).fixed().effect("`redmoon serve`: the mark of its sockets; Linux only"),
		Param{Name: "requirepass", Kind: binaryParam}.effect("the password of the user default, which clients must give").
			appliedBy(func(c *Config, v string, _ int64) {
				if v != c.requirePass {
					c.requirePass = v
					c.PasswordChanged(v)
				}
			}),
		text("aclfile", "").fixed().emptyStays().effect("the file of ACL LOAD and SAVE, set by engine.Options.ACLFile"),
		oneOf("acl-pubsub-default", "resetchannels", "allchannels", "resetchannels").effect("whether new users may use all channels"),
		numParam("acllog-max-len", "128", 0, maxLong).effect("ACL LOG"),
		memRange("proto-max-bulk-len", "536870912", 1<<20, maxLong).
			effect("the longest argument that a client may send, and the longest string").
			limitsConn(func(l *ConnLimits) *int64 { return &l.MaxBulkLen }),
		memRange("client-query-buffer-limit", "1073741824", 1<<20, maxLong).
			effect("the size of an unfinished request, or of input behind a blocked command, at which a connection is closed").
			limitsConn(func(l *ConnLimits) *int64 { return &l.MaxQuery }),
		listOf("client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", parseOutputLimits).
			effect("the unread output at which a connection is closed, by class: normal, slave (replicas), pubsub").
			appliedBy(func(c *Config, v string, _ int64) { c.setOutputLimits(v) }),
		checked("notify-keyspace-events", "", parseEvents).effect("which events are published").
			appliedBy(func(c *Config, v string, _ int64) { c.Notify.set(v) }).shownBy(showEvents),
		numParam("tracking-table-max-keys", "1000000", 0, maxLong).effect("the number of keys whose readers are remembered").
			appliedBy(func(c *Config, _ string, n int64) {
				c.MaxTrackedKeys = n
				if c.MaxTrackedKeysChanged != nil {
					c.MaxTrackedKeysChanged()
				}
			}),
	}
}

// serverParams are about the server as a whole and its scripts.
func serverParams() []Param {
	return []Param{
		numParam("databases", "16", 1, maxInt).fixed().effect("set by engine.Options.Databases"),
		numParam("hz", "10", 0, maxInt).clamp(1, 500).effect("reported by INFO"),
		yesNo("dynamic-hz", "yes").until("-/8.1.0").noEffect("timers run when they are due"),
		numParam("active-expire-effort", "1", 1, 10).noEffect("expired keys are removed when they expire"),
		numParam("busy-reply-threshold", "5000", 0, maxLong).alias("lua-time-limit").
			effect("ms after which other clients get BUSY while a script or function runs; 0: never"),
		numParam("io-threads", "1", 1, 128).fixed().noEffect(goroutines).
			later("-/9.0.0", func(p *Param) { p.max, p.Immutable = 256, false }),
		yesNo("io-threads-do-reads", "no").fixed().noEffect(goroutines).until("8.0.0/8.1.0").defaultLater("-/8.0.0", "yes"),
		oneOf("sanitize-dump-payload", "no", "no", "yes", "clients").until("-/9.1.0").noEffect("every payload is checked completely"),
		oneOf("enable-debug-command", "local", "no", "yes", "local").fixed().
			effect("who may use DEBUG; for a program with the name redis-server the default is no"),
		oneOf("enable-module-command", "no", "no", "yes", "local").fixed().effect("who may use MODULE LOAD and UNLOAD, which find no module"),
		oneOf("enable-protected-configs", "no", "no", "yes", "local").fixed().effect("who may change dir and dbfilename"),
	}
}

// timingParams are about how long commands take.
func timingParams() []Param {
	return []Param{
		numParam("slowlog-log-slower-than", "10000", -1, maxLong).renamedLater("-/8.1.0", "commandlog-execution-slower-than").
			effect("SLOWLOG; from 1000 on, quick commands (those of constant cost, with few arguments) are timed one call in 16").
			appliedBy(func(c *Config, _ string, n int64) { c.SlowlogSlowerThan = n; c.updateTimeEveryCall() }),
		numParam("slowlog-max-len", "128", 0, maxLong).renamedLater("-/8.1.0", "commandlog-slow-execution-max-len").effect("SLOWLOG"),
		numParam("latency-monitor-threshold", "0", 0, maxLong).effect("LATENCY; unless 0, every command is timed").
			appliedBy(func(c *Config, _ string, n int64) { c.LatencyThreshold = n; c.updateTimeEveryCall() }),
		yesNo("latency-tracking", "yes").effect("LATENCY HISTOGRAM and INFO latencystats").
			appliedBy(func(c *Config, v string, _ int64) { c.LatencyTracking = v == "yes" }),
		listOf("latency-tracking-info-percentiles", "50 99 99.9", parsePercentiles).effect("INFO latencystats"),
	}
}

// WithoutEffect returns why the value of the parameter is only kept, or "" if it has an effect.
func (p *Param) WithoutEffect() string { return p.without }
