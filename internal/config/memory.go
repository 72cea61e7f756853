package config

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Memory are the parameters about how much memory there may be.
type Memory struct {
	Limit    uint64 // maxmemory, bytes; 0: none
	Evicts   bool   // maxmemory-policy is not noeviction
	Policy   datastore.EvictionPolicy
	tenacity int64 // maxmemory-eviction-tenacity, 0 to 100
	Changed  bool  // the limit has been set, and nothing evicted since
}

// maxSamples is the largest number of maxmemory-samples that has an effect.
const maxSamples = 64

func (m *Memory) setLimit(value string) {
	m.Limit, _ = strconv.ParseUint(value, 10, 64) // has been checked
	m.Changed = m.Limit != 0
}

func (m *Memory) setPolicy(name string) {
	which, rank, _ := strings.Cut(name, "-")
	m.Evicts = rank != ""
	m.Policy.Volatile = which == "volatile"
	m.Policy.Rank = map[string]datastore.EvictionRank{
		"lru": datastore.EvictIdle, "lfu": datastore.EvictRare, "ttl": datastore.EvictSoon, "random": datastore.EvictRandom,
	}[rank]
}

// longest is how many nanoseconds one round may take: half a millisecond, less with a tenacity
// below 10, and beyond it 15 % more with each step; with 100 as long as it needs.
func (m *Memory) Longest() int64 {
	switch {
	case m.tenacity <= 10:
		return 50_000 * m.tenacity
	case m.tenacity < 100:
		return int64(500_000 * math.Pow(1.15, float64(m.tenacity-10)))
	}
	return math.MaxInt64
}
