package config

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Memory holds the parameters of maxmemory and eviction.
type Memory struct {
	Limit    uint64 // maxmemory, bytes; 0: none
	Evicts   bool   // maxmemory-policy is not noeviction
	Policy   datastore.EvictionPolicy
	tenacity int64 // maxmemory-eviction-tenacity, 0 to 100
	Changed  bool  // the limit was set, and no eviction has run since
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
		"lru": datastore.EvictIdle, "lrm": datastore.EvictIdle,
		"lfu": datastore.EvictRare, "ttl": datastore.EvictSoon, "random": datastore.EvictRandom,
	}[rank]
}

// LongestEviction returns the longest duration of one round of eviction, in nanoseconds: 0.5 ms
// with a tenacity of 10, less below it, 15 % more with each step above it, unlimited with 100.
func (m *Memory) LongestEviction() int64 {
	switch {
	case m.tenacity <= 10:
		return 50_000 * m.tenacity
	case m.tenacity < 100:
		return int64(500_000 * math.Pow(1.15, float64(m.tenacity-10)))
	}
	return math.MaxInt64
}
