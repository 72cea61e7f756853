package server

import (
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

// Stats are counters for INFO.
type Stats struct {
	StartMicros    int64 // time of the start
	Commands       int64 // commands processed
	Connections    int64 // sessions ever opened
	Hits           int64 // lookups of read commands that found the key
	Misses         int64
	NetIn          int64 // bytes read by the RESP server
	NetOut         int64
	Reads          int64 // reads from and writes to sockets
	Writes         int64
	ExpireNanos    int64            // ns spent on removing expired keys
	Errors         map[string]int64 // error replies by code
	ErrorReplies   int64
	ActiveKeys     int64 // keys, and fields of hashes, that were removed because they had expired, without a command
	ActiveFields   int64
	EvictedScripts int64              // scripts that EVAL had cached and that left the cache for others
	TooSlow        int64              // sessions that did not read their output
	Denied         [acl.Denials]int64 // refusals, by the permission that was missing
	// UnexpectedErrors is the number of errors of commands of the master and of replicas.
	UnexpectedErrors int64
	Calls            CallStats
	Scripts          ScriptStats
	Images           ImageCounts
}

// measured is what the server counts and measures of its commands.
type measured struct {
	Stats                       Stats
	rates                       rates
	Rejected                    atomic.Int64 // refused connections; the server counts those beyond maxclients
	Slowlog                     CommandLog
	LargeRequests, LargeReplies CommandLog
	Latency                     latencyLog
	Hot                         *HotKeys // what HOTKEYS measures; nil: nothing
}

// ResetStats sets the counters to zero (CONFIG RESETSTAT).
func (m *measured) ResetStats() {
	m.Stats = Stats{StartMicros: m.Stats.StartMicros, Errors: map[string]int64{}, Calls: m.Stats.Calls}
	m.Stats.Calls.Reset()
	m.rates = rates{}
	m.Rejected.Store(0)
}
