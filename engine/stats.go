package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Stats are the counters and sizes of an engine, or of several that [Stats.Add] has added up, at
// one moment. The engine counts each of them once: INFO, LATENCY and Stats show the same numbers.
// CONFIG RESETSTAT sets those to zero that count what has happened since the start.
type Stats struct {
	Uptime time.Duration // since the start, by the engine's clock; INFO uptime_in_seconds
	// Busy says that a script has run for longer than busy-reply-threshold, and still runs.
	Busy bool
	// QueueLength is the number of requests that wait for the engine. A pipeline is one request.
	// QueueCapacity is Options.QueueLength: more callers wait outside the queue.
	QueueLength, QueueCapacity int

	CommandsProcessed int64          // commands run, by clients and scripts; INFO total_commands_processed
	Commands          []CommandStats // the commands that were called or refused, by name
	// Scripts are the functions that have run, by name, and the scripts, by SHA1. The first 1000 have
	// an entry of their own; the last entry, which has neither Name nor SHA1, stands for all others.
	// SCRIPT FLUSH, FUNCTION FLUSH and FUNCTION DELETE forget theirs.
	Scripts       []ScriptStats
	CachedScripts int              // scripts in the cache of EVALSHA; INFO number_of_cached_scripts
	Libraries     int              // of functions; INFO number_of_libraries
	ErrorReplies  int64            // INFO total_error_replies
	Errors        map[string]int64 // error replies by code, such as "WRONGTYPE"; INFO errorstats

	Databases []DatabaseStats // those that have keys; INFO keyspace
	Hits      int64           // lookups of reading commands that found the key; INFO keyspace_hits
	Misses    int64           // and the others; INFO keyspace_misses
	Expired   int64           // keys removed because their time to live has ended; INFO expired_keys
	Evicted   int64           // keys removed because of maxmemory; INFO evicted_keys

	MemoryUsed    int64 // bytes that count for maxmemory; INFO used_memory
	MemoryPeak    int64 // bytes, the greatest MemoryUsed that was looked at; INFO used_memory_peak
	MemoryDataset int64 // bytes of keys and values; INFO used_memory_dataset
	MemoryScripts int64 // bytes of the sources of scripts and functions; INFO used_memory_scripts
	MemoryMax     int64 // bytes, the parameter maxmemory; 0: no limit

	Clients             int   // sessions; INFO connected_clients
	BlockedClients      int   // whose command waits; INFO blocked_clients
	TrackingClients     int   // of CLIENT TRACKING; INFO tracking_clients
	EvictedClients      int64 // because of maxmemory-clients; INFO evicted_clients
	Connections         int64 // sessions opened; INFO total_connections_received
	RejectedConnections int64 // because of maxclients; INFO rejected_connections
	NetworkInput        int64 // bytes read from clients; INFO total_net_input_bytes
	NetworkOutput       int64 // bytes written to them; INFO total_net_output_bytes

	PubSubChannels      int // with subscribers; INFO pubsub_channels
	PubSubPatterns      int // INFO pubsub_patterns
	PubSubShardChannels int // INFO pubsubshard_channels

	ChangesSinceSave int64 // INFO rdb_changes_since_last_save
}

// CommandStats counts the calls of one command.
type CommandStats struct {
	Name     string // in lower case; of a subcommand with its command, as "config|get"
	Calls    int64  // that have run, also by scripts and EXEC
	Rejected int64  // that were refused before they ran, for example because of the user
	Failed   int64  // that ran and replied with an error
	// Time is that of all Calls. The engine measures one in 16 calls of short commands, and counts it
	// for all of them.
	Time time.Duration
	// Latency has the buckets of LATENCY HISTOGRAM, shortest first. It is nil if no call was measured,
	// for example because of latency-tracking no. Commands that wait, such as BLPOP, are not in it.
	Latency []LatencyBucket
}

// LatencyBucket counts the calls that took up to UpTo, together with those in the buckets before
// it.
type LatencyBucket struct {
	UpTo  time.Duration // whole microseconds; the calls were cut to those. math.MaxInt64: no bound
	Calls int64
}

// ScriptStats counts the runs of one script or function. A call that is refused before the script
// begins is not a run of it.
type ScriptStats struct {
	SHA1     string        // of a script, in lower-case hexadecimal; "" for a function
	Name     string        // of a script, if [Script.Named] has given one; of a function library.function
	Calls    int64         // runs that have ended
	Failed   int64         // runs that replied with an error
	Time     time.Duration // of all runs, with the commands that they called and with compiling
	Longest  time.Duration // the longest run
	function bool
	label    string // what Label returns, if there is a name
}

// Function reports whether the entry counts a function, which FCALL runs.
func (s ScriptStats) Function() bool { return s.function }

// Label returns what names the script for people: its Name, else its SHA1, else "other". A name of
// more than 120 bytes is shortened and ends in a hash; bytes that are not UTF-8 are question marks.
func (s ScriptStats) Label() string { return cmp.Or(s.label, s.Name, s.SHA1, "other") }

// DatabaseStats are the numbers of keys in one database.
type DatabaseStats struct {
	Number   int
	Keys     int64 // with those whose time to live has ended but that have not been removed yet
	Expiring int64 // keys with a time to live
	// AverageTTL is an estimate, as avg_ttl of INFO keyspace.
	AverageTTL time.Duration
}

// Keys returns the number of keys in all databases.
func (s *Stats) Keys() (n int64) {
	for _, db := range s.Databases {
		n += db.Keys
	}
	return n
}

// ScriptTime returns the time of all scripts and functions.
func (s *Stats) ScriptTime() (d time.Duration) {
	for _, script := range s.Scripts {
		d += script.Time
	}
	return d
}

// countRun counts the run of a script or function that begins now.
func (e *Engine) countRun(id server.ScriptID) {
	title := ""
	if r := e.current; r != nil && r.script != nil {
		title = r.script.name
	}
	e.server.CountRun(id, title)
}

// Stats returns the statistics of the engine at this moment. It costs one request, which takes some
// microseconds and more with many commands, scripts and sessions.
//
// Stats waits for its turn as a command does, so at most for busy-reply-threshold behind one
// script. While a script is busy, Stats does answer, unlike [Engine.View]: the running command and
// script are then not counted yet, and QueueLength shows who waits. It also answers while the data
// set is being loaded. It returns the error of ctx if ctx ends before its turn, [ErrClosed] and
// [ErrReentrant].
func (e *Engine) Stats(ctx context.Context) (Stats, error) {
	r := e.newRequest()
	r.kind = promptRequest
	var s Stats
	r.fn = func() { s = e.readStats() }
	if err := e.roundTrip(ctx, r); err != nil {
		return Stats{}, err
	}
	e.freeRequest(r)
	slices.SortFunc(s.Commands, func(a, b CommandStats) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Scripts, ScriptStats.compare)
	return s, nil
}

// Stats returns the statistics of all shards, added up; see [Stats.Add]. It asks one shard after
// the other.
func (c *Cluster) Stats(ctx context.Context) (Stats, error) {
	var sum Stats
	for _, e := range c.shards {
		s, err := e.Stats(ctx)
		if err != nil {
			return Stats{}, err
		}
		sum.Add(s)
	}
	return sum, nil
}

// readStats runs on the loop, and leaves to the caller what other requests need not wait for: the
// order of the commands and scripts.
func (e *Engine) readStats() Stats {
	sv := e.server
	st, mem := &sv.Stats, sv.MemoryUse()
	libraries, _ := sv.CountFunctions()
	s := Stats{
		Uptime:        time.Duration(e.clock.Now().UnixMicro()-st.StartMicros) * time.Microsecond,
		Busy:          sv.Busy() != "",
		QueueLength:   len(e.requests) + len(e.first) + len(e.watch.deferred),
		QueueCapacity: cap(e.requests),

		CommandsProcessed: st.Commands,
		CachedScripts:     sv.Scripts.Len(), Libraries: libraries,
		ErrorReplies: st.ErrorReplies, Errors: make(map[string]int64, len(st.Errors)),

		Hits: st.Hits, Misses: st.Misses, Expired: sv.Store.Expired(), Evicted: sv.Store.Evicted(),

		MemoryUsed: int64(mem.Used), MemoryPeak: int64(mem.Peak), MemoryDataset: int64(mem.Dataset),
		MemoryScripts: int64(mem.Scripts + mem.Functions), MemoryMax: int64(sv.Config.Memory.Limit),

		Clients: sv.Clients.Connected(), BlockedClients: sv.BlockedClients(), TrackingClients: sv.TrackingClients(),
		EvictedClients: sv.Clients.Evicted, Connections: st.Connections, RejectedConnections: sv.Rejected.Load(),
		NetworkInput: st.NetIn, NetworkOutput: st.NetOut,

		PubSubChannels: len(sv.Topics[server.OnChannel].List), PubSubPatterns: len(sv.Topics[server.OnPattern].List),
		PubSubShardChannels: len(sv.Topics[server.OnShard].List),

		ChangesSinceSave: sv.Changes(),
	}
	for code, n := range st.Errors {
		s.Errors[code] = n
	}
	s.Commands, s.Scripts = readCommandStats(sv), readScriptStats(&st.Scripts)
	for i := range sv.Store.Databases() {
		if db := sv.Store.DB(i); db.Len() > 0 {
			s.Databases = append(s.Databases, DatabaseStats{i, int64(db.Len()), int64(db.Expires()),
				time.Duration(db.AverageTTL()) * time.Millisecond})
		}
	}
	return s
}

func readCommandStats(sv server.Control) (out []CommandStats) {
	for _, spec := range sv.Table.All {
		st := sv.Stats.Calls.Peek(spec.ID)
		if st.Calls == 0 && st.Rejected == 0 {
			continue
		}
		c := CommandStats{Name: spec.FullName(), Calls: st.Calls, Rejected: st.Rejected, Failed: st.Failed, Time: time.Duration(st.Nanos)}
		if !st.Times.Empty() {
			st.Times.Buckets(st.Calls, func(micros, count int64) {
				c.Latency = append(c.Latency, LatencyBucket{time.Duration(micros) * time.Microsecond, count})
			})
			c.Latency[len(c.Latency)-1].UpTo = math.MaxInt64
		}
		out = append(out, c)
	}
	return out
}

func readScriptStats(stats *server.ScriptStats) (out []ScriptStats) {
	add := func(st server.ScriptStat) {
		s := ScriptStats{SHA1: st.ID.Name, Name: st.Title, Calls: st.Calls, Failed: st.Failed, Time: time.Duration(st.Nanos),
			Longest: time.Duration(st.Longest), label: st.Label}
		if st.ID.Library != "" {
			s.SHA1, s.Name, s.function = "", st.ID.Library+"."+st.ID.Name, true
		}
		out = append(out, s)
	}
	stats.Each(add)
	if stats.Other.Calls > 0 {
		add(stats.Other)
	}
	return out
}

// compare orders functions by name, then scripts by SHA1; the entry for all others comes last.
func (s ScriptStats) compare(o ScriptStats) int {
	if s.other() != o.other() {
		if s.other() {
			return 1
		}
		return -1
	}
	if s.function && o.function {
		return strings.Compare(s.Name, o.Name)
	}
	return strings.Compare(s.SHA1, o.SHA1)
}

// other reports whether s stands for the scripts without an entry of their own.
func (s ScriptStats) other() bool { return s.SHA1 == "" && !s.function }
