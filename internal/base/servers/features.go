package servers

// Feature is something that Redis 7.0 does not do, or does in another way. What belongs to one
// command, such as its arity, stands in the command's row.
type Feature uint8

//go:generate go run genabout.go
//go:generate gofmt -w about.go

// The features.
const (
	// Time.
	FrozenClock Feature = iota // a script, function or transaction sees the time at which it began

	// Numbers.
	ShortDoubles // floats are written with few digits, not by %.17g
	PlainNumbers // bounds of scores and the numbers that SORT compares have no leading space and are not hexadecimal
	PlainFloats  // no float is hexadecimal, and SORT refuses the empty text
	WideWeights  // SORT takes numbers that are too large or too small for a float

	// Encodings.
	OwnNumbers   // no two keys share a small integer
	CompactLists // short lists are listpacks
	CompactSets  // small sets of strings are listpacks
	NumberFirst  // the number of fields or members in a command chooses the form of a hash or sorted set
	LengthFirst  // the lengths of the members in ZADD do too, even if they are not added
	SizedBySetEx // HSETEX chooses the form by the number of its fields, as HSET does
	LargeTimed   // hashes whose fields may have expiry times are hash tables

	// Files.
	ServerInFiles   // RDB files have the version of Valkey, not of Redis
	ValkeyFiles     // RDB files may begin with VALKEY; there is rdb-version-check
	ValkeySignature // RDB files, also the base of an append-only file, begin with VALKEY
	ZeroChecksums   // a checksum of 0 in what RESTORE gets is not verified
	FieldsLeftOut   // hash fields that have expired are left out when an RDB file is loaded

	// Commands.
	ArgumentsFirst           // BITCOUNT and BITPOS check their arguments before the key
	ArgumentsShown           // COMMAND DOCS has display_text
	BitDifferences           // BITOP has DIFF, DIFF1, ANDOR and ONE
	ClientLibrary            // CLIENT LIST shows watch, lib-name and lib-ver
	ClientThread             // CLIENT LIST shows io-thread
	CommandLog               // COMMANDLOG, which SLOWLOG is a part of
	CompareAndSet            // SET has IFEQ
	CompareDigests           // SET has IFNE, IFDEQ and IFDNE too; MSETEX reports the expiry time first
	ConsumerActivity         // XINFO shows when a consumer was last active
	ConsumerSeenFirst        // a consumer is seen although the command has nothing for it
	FileOffsets              // a replica acknowledges what its append-only file has on the disk
	FieldsLast               // commands on fields of hashes begin with what stands at the end of their arguments
	FieldsAnywhere           // the arguments of HEXPIRE, HGETEX and HSETEX have any order
	FieldExpiry              // fields of hashes have expiry times: INFO counts them
	ScanOfKnownTypes         // SCAN refuses a TYPE that there is not
	ShortUnknownText         // the error about an unknown command without arguments ends behind its name
	SubcommandsInScripts     // the error about an unknown subcommand in a script names it
	HashScanWithoutText      // HSCAN has NOVALUES, and the other SCANs refuse it
	ZSetScanWithoutScores    // ZSCAN has NOSCORES, and the other SCANs refuse it
	IDLeftText               // XADD with an ID that has no sequence number left says that the ID is too small
	ClusterDatabases         // in cluster mode there is one database, not several that cannot be selected
	NumberedClusterDatabases // in cluster mode SELECT and MOVE work
	SlotMoversAreClients     // a node that moves slots is known when it asks, not before
	SortInSlot               // in cluster mode SORT takes patterns whose keys are in the slot of its key
	SortGetsElement          // in cluster mode SORT takes GET #
	DenialIDs                // ACL LOG shows numbers of entries, and when they began
	DatabaseRights           // users have rights to databases
	NamedDenials             // ACL DRYRUN names the user, and shows names with NUL bytes
	SelectorsEndFirst        // a selector of an ACL rule ends before another one begins
	RulesAsWritten           // the rights to commands are described by the rules that gave them
	HelloAtOnce              // the options of HELLO are all applied, or none
	NamesWithNUL             // the name of a client is checked up to its first NUL byte
	NewUsersSanitize         // users have sanitize-payload from the beginning
	NoSanitizeFlags          // users have no flags about payloads
	NamedShards              // CLUSTER SHARDS names the shard
	NewShardAfterReset       // a soft CLUSTER RESET begins a new shard
	NoSubcommandsArray       // COMMAND INFO has an empty array, not an empty set, for no subcommands
	OpenBitCount             // BITCOUNT has a start without an end
	Polygons                 // GEOSEARCH has BYPOLYGON
	PlainCursors             // the cursor of SCAN is a number without a sign
	TimeoutRange             // a timeout must end at a time of 63 bits
	SafeNegation             // LREM and LPOS refuse the number that cannot be negated
	ShortPoints              // coordinates are written as other floats
	MissingMemberNamed       // the error about a member that is not in a geo set names it
	GetexTimeFirst           // GETEX checks its expiry time before the key
	ListIndexOf32Bits        // LSET takes the lower 32 bits of an index, and makes room before it looks at it
	ExactBitTypes            // a NUL byte does not end the type of BITFIELD
	SetDeletesPast           // SET with a time in the past deletes the key
	RestoreExpires           // RESTORE with a time in the past counts an expired key
	PastIsExpired            // a key or field whose time is set to the past has expired, and is not deleted
	NegativeOffsets          // LIMIT with a negative offset counts from the end of a sorted set that is not compact
	PlainOffsets             // it no longer does
	SetIDAfterDeleted        // XSETID refuses an ID below that of a deleted entry
	KillByAge                // CLIENT KILL has MAXAGE
	LateFieldTimes           // fields of hashes expire at any time of 63 bits, not of 46
	RunsAgain                // XREAD and XREADGROUP run again when a key that they wait for is ready
	GapsFromRead             // a group counts what it reads only from the first entry on and if nothing was deleted after it
	GroupsFromFirst          // a group's lag is known if what is missing was removed before the first entry
	ReadUpToAdded            // XGROUP sets no more entries as read than were added
	UnknownBeforeDeleted     // how many entries there were up to an ID is unknown if a later one was deleted
	HistoryUncounted         // reading the history of a consumer does not count as a change
	ReadsIdle                // XREADGROUP has CLAIM
	ReadsLastEntry           // XREAD has the ID +
	ReadsLastLeft            // the ID + of XREAD skips entries that were deleted
	ReadsSetGroup            // the effects of XREADGROUP end with XGROUP SETID
	ReadsSetGroupLast        // only that XGROUP SETID moves the group
	StreamProducers          // streams remember what producers have added
	StreamRefs               // trimming and deleting entries may remove or respect the references of groups
	ClientTraffic            // CLIENT LIST shows tot-net-in, tot-net-out and tot-cmds
	ClientCapabilities       // CLIENT LIST shows capa, and multi=0 once the client has begun a transaction
	ClientFilters            // CLIENT LIST has the filters of CLIENT KILL, and ID takes several in both
	ClientWatch              // CLIENT LIST shows watch
	LuaModule                // Lua is a module
	OwnName                  // the server does not call itself Redis
	ReplicaThreadShown       // INFO shows the thread of a replica
	ReplicaTypeShown         // INFO shows the type of a replica
	ZoneShown                // HELLO shows the availability zone
	ScriptSizes              // a script's commands have no requests, and sizes of replies
	ScriptsOfClients         // SLOWLOG shows the address of the client of a script
	CountedAfterWait         // a command that waits is counted when its wait has ended
	LoginFirst               // who has to log in gets that error also for commands that are unknown or malformed
	QueuesSmall              // without free memory MULTI queues the commands that need none
	FailedQueueDropped       // a transaction that has failed forgets its commands
	RepliesFirst             // what a command pushes to its own session follows its reply
	FlushReplyLast           // FLUSHALL and FLUSHDB answer after what they invalidate has been reported
	ScriptReadsTracked       // CLIENT TRACKING remembers the keys that a script reads, not those it declares
	ServedIsChange           // what a command takes from a list after it has waited is a change
	Primaries                // the type primary is another name of the type master
	MoreClientFilters        // CLIENT KILL and LIST have NAME, FLAGS and others, and NOT- of most
	ResetImports             // RESET ends CLIENT IMPORT-SOURCE

	// Lua.
	MurmurStrings     // Lua hashes strings in another way: tables have other orders
	ErrorsWithoutName // errors of scripts and functions do not name them
	WaitingInScripts  // scripts may call blocking commands, which do not wait
	EvictedScripts    // scripts that EVAL has cached leave the cache when there are many
	LoadedScriptsStay // SCRIPT LOAD keeps a script that EVAL has cached
	EngineNames       // the first line of a script names an engine in any case of letters
	CheckedAfterLoad  // the names of a library's functions are checked after its text has run
	BigNumbersEnd     // a big number of a script ends at a zero byte
	JoinedQuotes      // a word of an inline request, configuration line or first line goes on behind a closing quote
	CheckedArity      // redis.acl_check_cmd refuses a wrong number of arguments
	UnknownErrors     // an error table without the field err is an unknown error

	features
)

// since is the table of features.
var since = [features]Since{
	FrozenClock:              "7.2.0",
	ShortDoubles:             "7.2.0",
	PlainNumbers:             "8.0.0/9.1.0",
	PlainFloats:              "-/9.1.0",
	WideWeights:              "8.0.0/-",
	OwnNumbers:               "8.2.0/8.1.0",
	CompactLists:             "7.2.0",
	CompactSets:              "7.2.0",
	ArgumentsFirst:           "7.2.0",
	IDLeftText:               "7.2.0",
	ClusterDatabases:         "7.2.0",
	NumberedClusterDatabases: "-/9.0.0",
	SlotMoversAreClients:     "-/9.0.0",
	SortInSlot:               "7.2.0",
	SortGetsElement:          "8.0.0/8.1.0",
	DenialIDs:                "7.2.0",
	DatabaseRights:           "-/9.1.0",
	NamedDenials:             "7.2.0",
	SelectorsEndFirst:        "7.2.0",
	RulesAsWritten:           "7.2.0",
	HelloAtOnce:              "7.2.0",
	NamesWithNUL:             "7.2.0",
	NewUsersSanitize:         "7.2.0",
	NoSanitizeFlags:          "-/9.1.0",
	NamedShards:              "-/9.1.0",
	NewShardAfterReset:       "-/9.1.0",
	NoSubcommandsArray:       "-/9.1.0",
	OpenBitCount:             "-/8.0.0",
	Polygons:                 "-/9.0.0",
	PlainCursors:             "7.2.0",
	SafeNegation:             "7.2.0",
	TimeoutRange:             "7.2.0",
	ShortPoints:              "8.0.0/-",
	MissingMemberNamed:       "-/9.1.0",
	GetexTimeFirst:           "-/9.1.0",
	ListIndexOf32Bits:        "7.2.0",
	ExactBitTypes:            "-/9.1.0",
	SetDeletesPast:           "-/8.0.0",
	RestoreExpires:           "8.4.0/-",
	PastIsExpired:            "-/8.1.0",
	NegativeOffsets:          "7.2.0",
	PlainOffsets:             "8.6.0/-",
	SetIDAfterDeleted:        "7.2.0",
	ArgumentsShown:           "7.2.0",
	BitDifferences:           "8.2.0/-",
	ClientLibrary:            "7.2.0",
	ClientThread:             "8.0.0/-",
	CommandLog:               "-/8.1.0",
	CompareAndSet:            "8.4.0/8.1.0",
	CompareDigests:           "8.4.0/-",
	ConsumerActivity:         "7.2.0",
	ConsumerSeenFirst:        "7.2.0",
	FileOffsets:              "7.2.0",
	FieldsLast:               "-/9.0.0",
	FieldsAnywhere:           "8.6.0/-",
	FieldExpiry:              "7.4.0/9.0.0",
	ScanOfKnownTypes:         "-/8.0.0",
	ShortUnknownText:         "8.6.0/-",
	SubcommandsInScripts:     "-/9.1.0",
	HashScanWithoutText:      "7.4.0/8.0.0",
	ZSetScanWithoutScores:    "-/8.0.0",
	KillByAge:                "7.4.0/8.0.0",
	LargeTimed:               "-/9.0.0",
	ServerInFiles:            "-/8.0.0",
	ValkeyFiles:              "-/8.1.0",
	ValkeySignature:          "-/9.0.0",
	ZeroChecksums:            "8.4.0/-",
	FieldsLeftOut:            "-/9.0.0",
	LateFieldTimes:           "-/9.0.0",
	NumberFirst:              "7.2.0",
	LengthFirst:              "-/8.0.0",
	SizedBySetEx:             "8.0.0/-",
	RunsAgain:                "7.2.0",
	GapsFromRead:             "7.4.0/8.1.0",
	GroupsFromFirst:          "7.4.0/-",
	ReadUpToAdded:            "8.4.0/-",
	UnknownBeforeDeleted:     "-/8.1.0",
	HistoryUncounted:         "8.0.0/-",
	ReadsIdle:                "8.4.0/-",
	ReadsLastEntry:           "7.4.0/8.0.0",
	ReadsLastLeft:            "7.4.0/-",
	ReadsSetGroup:            "7.2.0",
	ReadsSetGroupLast:        "8.4.0/-",
	StreamProducers:          "8.6.0/-",
	StreamRefs:               "8.2.0/-",
	ClientTraffic:            "8.2.0/8.0.0",
	ClientCapabilities:       "-/8.1.0",
	ClientFilters:            "-/8.1.0",
	MoreClientFilters:        "-/9.0.0",
	ClientWatch:              "7.4.0/8.0.0",
	LuaModule:                "-/9.1.0",
	OwnName:                  "-/8.0.0",
	ReplicaThreadShown:       "8.2.0/-",
	ReplicaTypeShown:         "-/8.0.0",
	ZoneShown:                "-/8.1.0",
	ScriptSizes:              "-/9.1.0",
	ScriptsOfClients:         "-/8.0.0",
	CountedAfterWait:         "7.2.0",
	LoginFirst:               "-/9.1.0",
	QueuesSmall:              "7.2.0",
	FailedQueueDropped:       "-/8.0.0",
	RepliesFirst:             "7.2.0",
	FlushReplyLast:           "8.0.0/-",
	ScriptReadsTracked:       "7.2.0",
	ServedIsChange:           "7.2.0",
	Primaries:                "-/8.0.0",
	ResetImports:             "-/9.0.0",

	MurmurStrings:     "-/8.1.0",
	ErrorsWithoutName: "-/9.1.0",
	WaitingInScripts:  "7.2.0",
	EvictedScripts:    "7.4.0/8.0.0",
	LoadedScriptsStay: "-/8.0.0",
	EngineNames:       "-/8.1.0",
	CheckedArity:      "8.0.0/-",
	CheckedAfterLoad:  "-/8.1.0",
	BigNumbersEnd:     "-/9.1.0",
	JoinedQuotes:      "-/9.1.0",
	UnknownErrors:     "8.6.0/9.1.0",
}

// has holds the features of each server.
var has = func() (has [count][features]bool) {
	for _, s := range All() {
		for f := range features {
			has[s][f] = s.HasSince(since[f])
		}
	}
	return has
}()

// Has reports whether the server has a feature.
func (s Server) Has(f Feature) bool { return has[s][f] }

// Features returns all features, in the order of their groups.
func Features() []Feature {
	all := make([]Feature, features)
	for i := range all {
		all[i] = Feature(i)
	}
	return all
}

// About returns the group of the feature, such as "Lua", and what the feature is, in a few words.
func (f Feature) About() (group, text string) { return about[f][0], about[f][1] }
