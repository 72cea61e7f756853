package command

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
)

type paramKind uint8

const (
	stringParam paramKind = iota
	boolParam
	intParam
	memoryParam // bytes, with a unit
	enumParam
	saveParam   // pairs of seconds and changes
	eventsParam // the letters of notify-keyspace-events
)

// param is the one declaration of a configuration parameter.
type param struct {
	name, alias string
	kind        paramKind
	def         string
	min, max    int64 // of numbers, both inclusive; a memoryParam with max -1 takes any 64 unsigned bits
	enum        []string
	immutable   bool

	clampMin, clampMax int64                        // numbers beyond are brought to the nearest; both 0: none
	limit              func(*datastore.Limits) *int // where the value lives, for encoding limits
}

const (
	maxInt  = math.MaxInt32
	maxLong = math.MaxInt64
)

func numParam(name, def string, min, max int64) param {
	return param{name: name, kind: intParam, def: def, min: min, max: max}
}

func memRange(name, def string, min, max int64) param {
	return param{name: name, kind: memoryParam, def: def, min: min, max: max}
}

func yesNo(name, def string) param { return param{name: name, kind: boolParam, def: def} }

func oneOf(name, def string, values ...string) param {
	return param{name: name, kind: enumParam, def: def, enum: values}
}

func (p param) fixed() param { p.immutable = true; return p }

func (p param) also(alias string) param { p.alias = alias; return p }

func (p param) clamp(min, max int64) param { p.clampMin, p.clampMax = min, max; return p }

func (p param) in(limit func(*datastore.Limits) *int) param { p.limit = limit; return p }

// params declares every parameter.
func params() []param {
	return append(append(limitParams(), memoryParams()...),
		numParam("databases", "16", 1, maxInt).fixed(),
		numParam("port", "6379", 0, 65535).fixed(),
		numParam("tcp-backlog", "511", 0, maxInt).fixed(),
		numParam("timeout", "0", 0, maxInt),
		numParam("tcp-keepalive", "300", 0, maxInt),
		numParam("maxclients", "10000", 1, math.MaxUint32),
		numParam("hz", "10", 0, maxInt).clamp(1, 500),
		yesNo("dynamic-hz", "yes"),
		numParam("active-expire-effort", "1", 1, 10),
		param{name: "requirepass"},
		param{name: "notify-keyspace-events", kind: eventsParam},
		memRange("proto-max-bulk-len", "536870912", 1<<20, maxLong),
		memRange("client-query-buffer-limit", "1073741824", 1<<20, maxLong),
		numParam("busy-reply-threshold", "5000", 0, maxLong).also("lua-time-limit"),
		yesNo("appendonly", "no"),
		oneOf("appendfsync", "everysec", "everysec", "always", "no"),
		param{name: "save", kind: saveParam},
		oneOf("loglevel", "notice", "debug", "verbose", "notice", "warning"),
		yesNo("activerehashing", "yes"),
		yesNo("latency-tracking", "yes"),
		numParam("latency-monitor-threshold", "0", 0, maxLong),
		numParam("slowlog-log-slower-than", "10000", -1, maxLong),
		numParam("slowlog-max-len", "128", 0, maxLong),
		yesNo("lazyfree-lazy-eviction", "no"),
		yesNo("lazyfree-lazy-expire", "no"),
		yesNo("lazyfree-lazy-server-del", "no"),
		yesNo("lazyfree-lazy-user-del", "no"),
		yesNo("lazyfree-lazy-user-flush", "no"),
		yesNo("cluster-enabled", "no").fixed(),
	)
}

// limitParams are the sizes until which values keep their compact encodings.
func limitParams() []param {
	return []param{
		numParam("hash-max-listpack-entries", "512", 0, maxLong).also("hash-max-ziplist-entries").
			in(func(l *datastore.Limits) *int { return &l.HashMaxListpackEntries }),
		memRange("hash-max-listpack-value", "64", 0, maxLong).also("hash-max-ziplist-value").
			in(func(l *datastore.Limits) *int { return &l.HashMaxListpackValue }),
		numParam("zset-max-listpack-entries", "128", 0, maxLong).also("zset-max-ziplist-entries").
			in(func(l *datastore.Limits) *int { return &l.ZSetMaxListpackEntries }),
		memRange("zset-max-listpack-value", "64", 0, maxLong).also("zset-max-ziplist-value").
			in(func(l *datastore.Limits) *int { return &l.ZSetMaxListpackValue }),
		numParam("set-max-intset-entries", "512", 0, maxLong).
			in(func(l *datastore.Limits) *int { return &l.SetMaxIntsetEntries }),
		numParam("list-max-listpack-size", "-2", math.MinInt32, maxInt).also("list-max-ziplist-size").
			in(func(l *datastore.Limits) *int { return &l.ListMaxListpackSize }),
		numParam("list-compress-depth", "0", 0, maxInt),
		memRange("hll-sparse-max-bytes", "3000", 0, maxLong).
			in(func(l *datastore.Limits) *int { return &l.HLLSparseMaxBytes }),
		memRange("stream-node-max-bytes", "4096", 0, maxLong),
		numParam("stream-node-max-entries", "100", 0, maxLong),
	}
}

// memoryParams are about maxmemory and what is evicted.
func memoryParams() []param {
	return []param{
		memRange("maxmemory", "0", 0, -1),
		oneOf("maxmemory-policy", "noeviction", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
			"allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction"),
		numParam("maxmemory-samples", "5", 1, maxInt),
		numParam("maxmemory-eviction-tenacity", "10", 0, 100),
		numParam("lfu-log-factor", "10", 0, maxInt),
		numParam("lfu-decay-time", "1", 0, maxInt),
	}
}
