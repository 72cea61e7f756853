package cmdtable

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// FlagName is the name of a flag in the reply of COMMAND INFO.
type FlagName struct {
	Flag Flag
	Name string
}

// FlagNames returns the names of the flags on a server, in the order of COMMAND INFO.
func FlagNames(s servers.Server) []FlagName {
	log := "skip_slowlog"
	if s.Has(servers.CommandLog) {
		log = "skip_commandlog"
	}
	return []FlagName{
		{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"}, {PubSub, "pubsub"},
		{NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"}, {Stale, "stale"},
		{SkipMonitor, "skip_monitor"}, {SkipSlowlog, log}, {Asking, "asking"}, {Fast, "fast"},
		{NoAuth, "no_auth"}, {NoMandatoryKeys, "no_mandatory_keys"},
		{NoAsyncLoading, "no_async_loading"}, {NoMulti, "no_multi"}, {MovableKeys, "movablekeys"}, {AllowBusy, "allow_busy"},
	}
}

// CatName is the name of an ACL category, without the @.
type CatName struct {
	Cat  Cat
	Name string
}

// CatNames returns the names of the ACL categories, in the order of COMMAND INFO and ACL CAT.
func CatNames() []CatName {
	return []CatName{
		{CatKeyspace, "keyspace"}, {CatRead, "read"}, {CatWrite, "write"}, {CatSet, "set"}, {CatSortedSet, "sortedset"},
		{CatList, "list"}, {CatHash, "hash"}, {CatString, "string"}, {CatBitmap, "bitmap"},
		{CatHyperLogLog, "hyperloglog"}, {CatGeo, "geo"}, {CatStream, "stream"}, {CatPubSub, "pubsub"},
		{CatAdmin, "admin"}, {CatFast, "fast"}, {CatSlow, "slow"}, {CatBlocking, "blocking"},
		{CatDangerous, "dangerous"}, {CatConnection, "connection"}, {CatTransaction, "transaction"},
		{CatScripting, "scripting"},
	}
}

// KeyFlagName is the name of a key-spec flag in the reply of COMMAND INFO.
type KeyFlagName struct {
	Flag KeyFlag
	Name string
}

// KeyFlagNames returns the names of the key-spec flags, in the order of COMMAND INFO.
func KeyFlagNames() []KeyFlagName {
	return []KeyFlagName{
		{RO, "RO"}, {RW, "RW"}, {OW, "OW"}, {RM, "RM"}, {Access, "access"}, {Update, "update"}, {Insert, "insert"},
		{Delete, "delete"}, {NotKey, "not_key"}, {Incomplete, "incomplete"}, {VariableFlags, "variable_flags"},
	}
}
