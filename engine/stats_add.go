package engine

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Add adds the statistics of another engine, for example of another shard: numbers, times, sizes
// and limits are added up, those of a command, script, error or database to each other. Uptime and
// Longest become the longer one, and Busy says whether any engine is busy. AverageTTL is weighted
// by the keys with a time to live.
func (s *Stats) Add(o Stats) {
	s.Uptime, s.Busy = max(s.Uptime, o.Uptime), s.Busy || o.Busy
	s.QueueLength += o.QueueLength
	s.QueueCapacity += o.QueueCapacity
	s.CommandsProcessed += o.CommandsProcessed
	s.CachedScripts += o.CachedScripts
	s.Libraries += o.Libraries
	s.ErrorReplies += o.ErrorReplies
	s.Hits += o.Hits
	s.Misses += o.Misses
	s.Expired += o.Expired
	s.Evicted += o.Evicted
	s.MemoryUsed += o.MemoryUsed
	s.MemoryPeak += o.MemoryPeak
	s.MemoryDataset += o.MemoryDataset
	s.MemoryScripts += o.MemoryScripts
	s.MemoryMax += o.MemoryMax
	s.Clients += o.Clients
	s.BlockedClients += o.BlockedClients
	s.TrackingClients += o.TrackingClients
	s.EvictedClients += o.EvictedClients
	s.Connections += o.Connections
	s.RejectedConnections += o.RejectedConnections
	s.NetworkInput += o.NetworkInput
	s.NetworkOutput += o.NetworkOutput
	s.PubSubChannels += o.PubSubChannels
	s.PubSubPatterns += o.PubSubPatterns
	s.PubSubShardChannels += o.PubSubShardChannels
	s.ChangesSinceSave += o.ChangesSinceSave

	errors := make(map[string]int64, len(s.Errors)+len(o.Errors)) // that of s may be shared with a copy
	for _, m := range []map[string]int64{s.Errors, o.Errors} {
		for code, n := range m {
			errors[code] += n
		}
	}
	s.Errors = errors
	s.Commands = merge(s.Commands, o.Commands, func(a, b CommandStats) int { return strings.Compare(a.Name, b.Name) }, CommandStats.plus)
	s.Scripts = merge(s.Scripts, o.Scripts, ScriptStats.compare, ScriptStats.plus)
	s.Databases = merge(s.Databases, o.Databases, func(a, b DatabaseStats) int { return a.Number - b.Number }, DatabaseStats.plus)
}

// merge merges two sorted lists into a new one and adds up the elements that compare as equal.
func merge[T any](a, b []T, compare func(T, T) int, plus func(T, T) T) []T {
	out := make([]T, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, plus(a[0], b[0])), a[1:], b[1:]
		}
	}
	return slices.Concat(out, a, b)
}

func (s CommandStats) plus(o CommandStats) CommandStats {
	s.Calls += o.Calls
	s.Rejected += o.Rejected
	s.Failed += o.Failed
	s.Time += o.Time
	if s.Latency == nil {
		s.Latency = o.Latency
		return s
	}
	s.Latency = slices.Clone(s.Latency)
	for i, b := range o.Latency {
		s.Latency[i].Calls += b.Calls // every list has the same buckets
	}
	return s
}

func (s ScriptStats) plus(o ScriptStats) ScriptStats {
	if s.Name == "" {
		s.Name, s.label = o.Name, o.label
	}
	s.Calls += o.Calls
	s.Failed += o.Failed
	s.Time += o.Time
	s.Longest = max(s.Longest, o.Longest)
	return s
}

func (db DatabaseStats) plus(o DatabaseStats) DatabaseStats {
	if n := db.Expiring + o.Expiring; n > 0 {
		mean := (float64(db.AverageTTL)*float64(db.Expiring) + float64(o.AverageTTL)*float64(o.Expiring)) / float64(n)
		db.AverageTTL = time.Duration(math.Round(mean))
	}
	db.Keys += o.Keys
	db.Expiring += o.Expiring
	return db
}
