package metrics

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Kind is the type of a metric, as Prometheus names it.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Metric defines one metric.
type Metric struct {
	Name, Help string
	Kind       Kind
	Unit       string   // "s", "By" or "", as UCUM writes it
	Labels     []string // the names of the labels of each sample
	// Read calls emit for each sample in s. No two samples have the same labels.
	Read func(s *engine.Stats, emit func(Sample))
}

// Sample is one value of a metric.
type Sample struct {
	Labels        []string // the values of Metric.Labels
	Value         float64  // unless the metric is a histogram
	*Distribution          // of a histogram
}

// Distribution is the value of a histogram.
type Distribution struct {
	Bounds []float64 // upper bounds in s, ascending, without the infinite one
	Counts []uint64  // the observations up to each bound
	Count  uint64    // all observations
	Sum    float64   // of all observations, in s
}

// Up is the metric that says whether an engine has answered. Without an answer it is the only one,
// with the value 0.
const Up = "redmoon_up"

// Table returns all metrics. Callers must not change it.
func Table() []Metric { return table }

var table = []Metric{
	gauge(Up, "Whether the engine has answered: 1 or 0.", "", func(*engine.Stats) float64 { return 1 }),
	gauge("redmoon_uptime_seconds", "Time since the start of the engine.", "s", func(s *engine.Stats) float64 { return s.Uptime.Seconds() }),
	gauge("redmoon_busy", "Whether a script has run for longer than busy-reply-threshold and still runs: 1 or 0.", "",
		func(s *engine.Stats) float64 {
			if s.Busy {
				return 1
			}
			return 0
		}),
	gauge("redmoon_queue_length", "Requests that wait for the engine.", "", func(s *engine.Stats) float64 { return float64(s.QueueLength) }),
	gauge("redmoon_queue_capacity", "Requests that can wait for the engine before callers block.", "",
		func(s *engine.Stats) float64 { return float64(s.QueueCapacity) }),

	byCommand("redmoon_commands_total", "Calls of the command, by clients, transactions and scripts.",
		func(c engine.CommandStats) int64 { return c.Calls }),
	byCommand("redmoon_commands_failed_total", "Calls of the command that ran and replied with an error.",
		func(c engine.CommandStats) int64 { return c.Failed }),
	byCommand("redmoon_commands_rejected_total", "Calls of the command that were refused before they ran.",
		func(c engine.CommandStats) int64 { return c.Rejected }),
	{Name: "redmoon_command_duration_seconds", Help: "Time of the calls of the command, cut to whole microseconds in the buckets.",
		Kind: Histogram, Unit: "s", Labels: []string{"command"}, Read: readLatency},
	{Name: "redmoon_errors_total", Help: "Error replies by the code they begin with. Codes other than upper-case words are in other.",
		Kind: Counter, Labels: []string{"code"}, Read: readErrors},

	byScript("redmoon_script_runs_total", "Runs of the script or function.", Counter, "",
		func(s engine.ScriptStats) float64 { return float64(s.Calls) }),
	byScript("redmoon_script_failures_total", "Runs of the script or function that replied with an error.", Counter, "",
		func(s engine.ScriptStats) float64 { return float64(s.Failed) }),
	byScript("redmoon_script_duration_seconds_total", "Time of all runs of the script or function.", Counter, "s",
		func(s engine.ScriptStats) float64 { return s.Time.Seconds() }),
	byScript("redmoon_script_longest_run_seconds", "Time of the longest run of the script or function.", Gauge, "s",
		func(s engine.ScriptStats) float64 { return s.Longest.Seconds() }),
	gauge("redmoon_cached_scripts", "Scripts in the cache of EVALSHA.", "", func(s *engine.Stats) float64 { return float64(s.CachedScripts) }),
	gauge("redmoon_function_libraries", "Libraries of functions.", "", func(s *engine.Stats) float64 { return float64(s.Libraries) }),

	byDatabase("redmoon_keys", "Keys in the database.", "", func(db engine.DatabaseStats) float64 { return float64(db.Keys) }),
	byDatabase("redmoon_expiring_keys", "Keys in the database that have a time to live.", "",
		func(db engine.DatabaseStats) float64 { return float64(db.Expiring) }),
	byDatabase("redmoon_ttl_average_seconds", "Estimated mean time to live of the keys that have one.", "s",
		func(db engine.DatabaseStats) float64 { return db.AverageTTL.Seconds() }),
	counter("redmoon_keyspace_hits_total", "Lookups of reading commands that found the key.", "",
		func(s *engine.Stats) int64 { return s.Hits }),
	counter("redmoon_keyspace_misses_total", "Lookups of reading commands that did not find the key.", "",
		func(s *engine.Stats) int64 { return s.Misses }),
	counter("redmoon_expired_keys_total", "Keys removed because their time to live has ended.", "",
		func(s *engine.Stats) int64 { return s.Expired }),
	counter("redmoon_evicted_keys_total", "Keys removed because of maxmemory.", "", func(s *engine.Stats) int64 { return s.Evicted }),

	gauge("redmoon_memory_used_bytes", "Memory that counts for maxmemory.", "By",
		func(s *engine.Stats) float64 { return float64(s.MemoryUsed) }),
	gauge("redmoon_memory_peak_bytes", "The most memory used, as far as anyone has looked.", "By",
		func(s *engine.Stats) float64 { return float64(s.MemoryPeak) }),
	gauge("redmoon_memory_dataset_bytes", "Memory of keys and values.", "By",
		func(s *engine.Stats) float64 { return float64(s.MemoryDataset) }),
	gauge("redmoon_memory_scripts_bytes", "Memory of the sources of scripts and functions.", "By",
		func(s *engine.Stats) float64 { return float64(s.MemoryScripts) }),
	gauge("redmoon_memory_max_bytes", "The parameter maxmemory; 0 means no limit.", "By",
		func(s *engine.Stats) float64 { return float64(s.MemoryMax) }),

	gauge("redmoon_clients", "Sessions of clients.", "", func(s *engine.Stats) float64 { return float64(s.Clients) }),
	gauge("redmoon_blocked_clients", "Sessions whose command waits, such as BLPOP.", "",
		func(s *engine.Stats) float64 { return float64(s.BlockedClients) }),
	gauge("redmoon_tracking_clients", "Sessions that use CLIENT TRACKING.", "",
		func(s *engine.Stats) float64 { return float64(s.TrackingClients) }),
	counter("redmoon_evicted_clients_total", "Sessions ended because of maxmemory-clients.", "",
		func(s *engine.Stats) int64 { return s.EvictedClients }),
	counter("redmoon_connections_total", "Sessions opened.", "", func(s *engine.Stats) int64 { return s.Connections }),
	counter("redmoon_rejected_connections_total", "Connections refused because of maxclients.", "",
		func(s *engine.Stats) int64 { return s.RejectedConnections }),
	counter("redmoon_network_input_bytes_total", "Bytes read from clients.", "By", func(s *engine.Stats) int64 { return s.NetworkInput }),
	counter("redmoon_network_output_bytes_total", "Bytes written to clients.", "By", func(s *engine.Stats) int64 { return s.NetworkOutput }),

	gauge("redmoon_pubsub_channels", "Channels with subscribers.", "", func(s *engine.Stats) float64 { return float64(s.PubSubChannels) }),
	gauge("redmoon_pubsub_patterns", "Patterns with subscribers.", "", func(s *engine.Stats) float64 { return float64(s.PubSubPatterns) }),
	gauge("redmoon_pubsub_shard_channels", "Shard channels with subscribers.", "",
		func(s *engine.Stats) float64 { return float64(s.PubSubShardChannels) }),
	gauge("redmoon_changes_since_save", "Changes of keys since the data set was saved.", "",
		func(s *engine.Stats) float64 { return float64(s.ChangesSinceSave) }),
}

func gauge(name, help, unit string, value func(*engine.Stats) float64) Metric {
	return Metric{Name: name, Help: help, Kind: Gauge, Unit: unit, Read: func(s *engine.Stats, emit func(Sample)) {
		emit(Sample{Value: value(s)})
	}}
}

func counter(name, help, unit string, value func(*engine.Stats) int64) Metric {
	return Metric{Name: name, Help: help, Kind: Counter, Unit: unit, Read: func(s *engine.Stats, emit func(Sample)) {
		emit(Sample{Value: float64(value(s))})
	}}
}

func byCommand(name, help string, value func(engine.CommandStats) int64) Metric {
	return Metric{Name: name, Help: help, Kind: Counter, Labels: []string{"command"}, Read: func(s *engine.Stats, emit func(Sample)) {
		for _, c := range s.Commands {
			emit(Sample{Labels: []string{c.Name}, Value: float64(value(c))})
		}
	}}
}

// byScript has the name of a script and its SHA1 as labels, because several may have one name.
func byScript(name, help string, kind Kind, unit string, value func(engine.ScriptStats) float64) Metric {
	labels := []string{"script", "sha1"}
	return Metric{Name: name, Help: help, Kind: kind, Unit: unit, Labels: labels, Read: func(s *engine.Stats, emit func(Sample)) {
		for _, script := range s.Scripts {
			emit(Sample{Labels: []string{strings.ToValidUTF8(script.Label(), "?"), script.SHA1}, Value: value(script)})
		}
	}}
}

// byDatabase has a sample for database 0 even if that is empty.
func byDatabase(name, help, unit string, value func(engine.DatabaseStats) float64) Metric {
	return Metric{Name: name, Help: help, Kind: Gauge, Unit: unit, Labels: []string{"db"}, Read: func(s *engine.Stats, emit func(Sample)) {
		if len(s.Databases) == 0 || s.Databases[0].Number != 0 {
			emit(Sample{Labels: []string{"0"}})
		}
		for _, db := range s.Databases {
			emit(Sample{Labels: []string{strconv.Itoa(db.Number)}, Value: value(db)})
		}
	}}
}

func readLatency(s *engine.Stats, emit func(Sample)) {
	for _, c := range s.Commands {
		if len(c.Latency) == 0 {
			continue
		}
		d := &Distribution{Sum: c.Time.Seconds()}
		for _, b := range c.Latency {
			d.Count = uint64(b.Calls)
			if b.UpTo < time.Duration(math.MaxInt64) {
				d.Bounds = append(d.Bounds, float64(b.UpTo.Microseconds())/1e6)
				d.Counts = append(d.Counts, d.Count)
			}
		}
		emit(Sample{Labels: []string{c.Name}, Distribution: d})
	}
}

// readErrors keeps codes that are not words out of the labels: scripts can make any number of them.
func readErrors(s *engine.Stats, emit func(Sample)) {
	others := int64(0)
	for _, code := range slices.Sorted(maps.Keys(s.Errors)) {
		if n := s.Errors[code]; isCode(code) {
			emit(Sample{Labels: []string{code}, Value: float64(n)})
		} else {
			others += n
		}
	}
	if others > 0 {
		emit(Sample{Labels: []string{"other"}, Value: float64(others)})
	}
}

// isCode reports whether s is a word of upper-case letters, as the codes of Redis are.
func isCode(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}
