package recording

import "slices"

// parameters decide replies: how values are encoded, which events are sent, what is refused.
var parameters = []string{
	"databases", "notify-keyspace-events", "maxmemory-policy", "list-compress-depth",
	"hll-sparse-max-bytes", "acl-pubsub-default", "hash-max-listpack-entries",
	"hash-max-listpack-value", "list-max-listpack-size", "set-max-intset-entries",
	"set-max-listpack-entries", "set-max-listpack-value", "zset-max-listpack-entries",
	"zset-max-listpack-value", "stream-node-max-bytes", "stream-node-max-entries",
	"hash-max-ziplist-entries", "hash-max-ziplist-value", "list-max-ziplist-size",
	"zset-max-ziplist-entries", "zset-max-ziplist-value",
}

// ConfigPatterns returns patterns for CONFIG GET that find the parameters of [Header].Config.
func ConfigPatterns() []string {
	return []string{
		"databases",
		"notify-keyspace-events",
		"maxmemory-policy",
		"list-compress-depth",
		"acl-pubsub-default",
		"*-max-*",
	}
}

// Decides reports whether a parameter belongs into [Header].Config.
func Decides(name string) bool { return slices.Contains(parameters, name) }
