package cmdrows

import (
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// streamsRows declares the commands on streams.
func streamsRows() []*cmdtable.Spec {
	unsure := []string{"nondeterministic_output"}
	const (
		refs = `condition(KEEPREF|DELREF|ACKED)`
		trim = `trim{strategy(MAXLEN|MINID>6.2.0) [operator(equal=\=|approximately=\~)] threshold [LIMIT:count#>6.2.0]`
	)
	return []*cmdtable.Spec{
		{
			Name: "xack", Arity: -4, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(log N) for each id, for N pending entries",
			Summary: "Acknowledges entries, which are pending no longer",
			Reply:   `int`,
			Syntax:  `key@0 group id...`,
		},
		{
			Name: "xackdel", Arity: -6, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update|cmdtable.Delete, 1, 0, 1)},
			Since: "8.2.0/-", Group: "stream", Complexity: "O(log N) for each id, for N pending entries",
			Summary:     "Acknowledges entries and removes them from the stream",
			Reply:       `[int]`,
			LooseSyntax: true,
			Syntax:      `key@0 group [` + refs + `] IDS:ids{numids# id...}`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [NOMKSTREAM>6.2.0] [condition(KEEPREF|DELREF|ACKED)>>8.2.0/-] `+
					`[idmp(idmpauto-with-pid{idmpauto-token=IDMPAUTO pid}|idmp-with-pid-iid{idmp-token=IDMP pid `+
					`iid})>>8.6.0/-] [trim{strategy(MAXLEN|MINID>6.2.0) [operator(equal=\=|approximately=\~)] threshold `+
					`[LIMIT:count#>6.2.0]}] id-selector(auto-id=\*|id) data{field value}...`),
			},
			Name: "xadd", Arity: -5, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)}, Tips: unsure,
			Since: "5.0.0", Group: "stream", Complexity: "O(1), and O(N) for N entries that trimming removes",
			Summary:     "Appends an entry to a stream, which is created where it is missing",
			Reply:       `text|nil`,
			LooseSyntax: true,
			Appends:     true,
			Varies:      cmdtable.ByClock,
			Syntax: `key@0 [NOMKSTREAM>6.2.0] [` + refs + `>>8.2.0/-] ` +
				`[idmp(idmpauto-with-pid{idmpauto-token=IDMPAUTO pid}|idmp-with-pid-iid{idmp-token=IDMP pid iid})>>8.6.0/-] ` +
				`[` + trim + `}] id_or_auto(auto_id=\*|id) field_value{field value}...`,
		},
		{
			Name: "xautoclaim", Arity: -6, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)}, Tips: unsure,
			Since: "6.2.0", Group: "stream", Complexity: "O(N) for a count of N",
			Summary: "Gives the next pending entries that have been idle for long to a consumer",
			Reply:   `[any]`,
			Varies:  cmdtable.ByClock,
			Syntax:  `key@0 group consumer min-idle-time start [COUNT:count#] [JUSTID]`,
		},
		{
			Name: "xcfgset", Arity: -2, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "8.6.0/-", Group: "stream", Complexity: "O(1), and O(N) for N ids of producers that it forgets",
			Summary: "Sets for how long and how many ids of producers a stream remembers",
			Reply:   `ok`,
			Syntax: `key@0 [idmp-duration-block{idmp-duration-token=IDMP-DURATION duration#}] ` +
				`[idmp-maxsize-block{idmp-maxsize-token=IDMP-MAXSIZE maxsize#}]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 group consumer min-idle-time id... [IDLE:ms#] [TIME:unix-time-milliseconds^] `+
					`[RETRYCOUNT:count#] [FORCE] [JUSTID] [LASTID:lastid]`),
			},
			Name: "xclaim", Arity: -6, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)}, Tips: unsure,
			Since: "5.0.0", Group: "stream", Complexity: "O(log N) for each id, for N pending entries",
			Summary: "Gives pending entries that have been idle for long to a consumer",
			Reply:   `[any]; JUSTID: [text]`,
			Varies:  cmdtable.ByClock,
			Syntax: `key@0 group consumer min-idle-time id... [IDLE:ms#] [TIME:unix-time-milliseconds^] [RETRYCOUNT:count#] ` +
				`[FORCE] [JUSTID] [LASTID:id]`,
		},
		{
			Name: "xdel", Arity: -3, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(log N) for each id, for N entries",
			Summary: "Removes entries from a stream",
			Reply:   `int`,
			Syntax:  `key@0 id...`,
		},
		{
			Name: "xdelex", Arity: -5, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)},
			Since: "8.2.0/-", Group: "stream", Complexity: "O(log N) for each id, for N entries",
			Summary:     "Removes entries from a stream, with or without the references of its groups",
			Reply:       `[int]`,
			LooseSyntax: true,
			Syntax:      `key@0 [` + refs + `] IDS:ids{numids# id...}`,
		},
		xgroupCommand(), xinfoCommand(),
		{
			Name: "xidmprecord", Arity: 5, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "8.6.2/-", Group: "stream", Complexity: "O(log N) for N entries",
			Summary: "Makes a stream remember that an entry is that of a producer",
			Reply:   `ok`,
			Syntax:  `key@0 pid iid stream-id`,
		},
		{
			Name: "xlen", Arity: 2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(1)",
			Summary: "Counts the entries of a stream",
			Reply:   `int`,
			Syntax:  `key@0`,
		},
		{
			Name: "xpending", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: unsure,
			Since: "5.0.0", Group: "stream", Complexity: "O(log M + N) for M pending entries, N of them looked at",
			Summary: "Lists the pending entries of a group, or sums them up",
			Reply:   `[any]`,
			Varies:  cmdtable.ByClock,
			Syntax:  `key@0 group [filters{[IDLE:min-idle-time#>6.2.0] start end count# [consumer]}]`,
		},
		{
			Name: "xrange", Arity: -4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(log M + N) for a stream of M entries and N entries returned",
			Summary: "Returns the entries between two ids",
			Reply:   `[any]|nil`,
			Range:   cmdtable.Range{Kind: cmdtable.ByID, At: 2},
			Syntax:  `key@0 start end [COUNT:count#]`,
		},
		{
			Later: []cmdtable.Change{keyFlags("8.0.0/-", cmdtable.Incomplete, 0, 0), keyFlags("8.2.0/-", 0, cmdtable.Incomplete, 0)},
			Name:  "xread", Arity: -4, Flags: cmdtable.ReadOnly | cmdtable.Blocking, Cats: cmdtable.CatStream,
			Keys:        []cmdtable.KeySpec{{Flags: cmdtable.RO | cmdtable.Access, Keyword: "STREAMS", From: 1, Last: -1, Step: 1, Limit: 2}},
			LocateSlots: readSlotKeys,
			Since:       "5.0.0", Group: "stream", Complexity: "O(log M + N) for each stream of M entries with N entries returned",
			Waits:   cmdtable.Waits{Option: "BLOCK", Before: "STREAMS", Unit: time.Millisecond},
			Summary: "Returns the entries behind an id from each of several streams; optionally waits for new ones",
			Reply:   `{text any}|nil`,
			Syntax:  `[COUNT:count#] [BLOCK:milliseconds#] STREAMS:streams{key@0... id...}`,
		},
		{
			Later: []cmdtable.Change{
				keyFlags("8.0.0/-", cmdtable.Incomplete, 0, 0), keyFlags("8.2.0/-", 0, cmdtable.Incomplete, 0),
				arguments("7.2.0", `GROUP:group-block{group consumer} [COUNT:count#] [BLOCK:milliseconds#] `+
					`[CLAIM:min-idle-time#>>8.4.0/-] [NOACK] STREAMS:streams{key@0... id...}`),
			},
			Name: "xreadgroup", Arity: -7, Flags: cmdtable.Write | cmdtable.Blocking, Cats: cmdtable.CatStream,
			Keys:        []cmdtable.KeySpec{{Flags: cmdtable.RO | cmdtable.Access, Keyword: "STREAMS", From: 4, Last: -1, Step: 1, Limit: 2}},
			LocateSlots: readSlotKeys,
			Since:       "5.0.0", Group: "stream", Complexity: "O(log M + N) for each stream of M entries with N entries returned",
			Waits:   cmdtable.Waits{Option: "BLOCK", Before: "STREAMS", Unit: time.Millisecond},
			Summary: "Returns new or pending entries to a consumer of a group; optionally waits for new ones",
			Reply:   `{text any}|nil`,
			Syntax: `GROUP:group_consumer{group consumer} [COUNT:count#] [BLOCK:milliseconds#] ` +
				`[CLAIM:min-idle-time#>>8.4.0/-] [NOACK] STREAMS:streams{key@0... id...}`,
		},
		{
			Name: "xrevrange", Arity: -4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(log M + N) for a stream of M entries and N entries returned",
			Summary: "Returns the entries between two ids, the last one first",
			Reply:   `[any]|nil`,
			Range:   cmdtable.Range{Kind: cmdtable.ByID, At: 2},
			Syntax:  `key@0 end start [COUNT:count#]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 last-id [ENTRIESADDED:entries-added#>7.0.0] [MAXDELETEDID:max-deleted-id>7.0.0]`),
			},
			Name: "xsetid", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatStream,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "5.0.0", Group: "stream", Complexity: "O(1)",
			Summary: "Sets what a stream remembers of entries that are gone",
			Reply:   `ok`,
			Syntax:  `key@0 last-id [ENTRIESADDED:entries_added#>7.0.0] [MAXDELETEDID:max_deleted_entry_id>7.0.0]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 trim{strategy(MAXLEN|MINID>6.2.0) [operator(equal=\=|approximately=\~)] threshold `+
					`[LIMIT:count#>6.2.0] [condition(KEEPREF|DELREF|ACKED)>>8.2.0/-]}`),
			},
			Name: "xtrim", Arity: -4, Flags: cmdtable.Write, Cats: cmdtable.CatStream,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)}, Tips: unsure,
			Since: "5.0.0", Group: "stream", Complexity: "O(N) for N entries removed",
			Summary:     "Removes the first entries of a stream",
			Reply:       `int`,
			LooseSyntax: true,
			Varies:      cmdtable.ByServer,
			Syntax:      `key@0 ` + trim + ` [` + refs + `>>8.2.0/-]}`,
		},
	}
}

func xgroupCommand() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "xgroup", Arity: -2,
		Since: "5.0.0", Group: "stream", Complexity: "See the subcommands",
		Summary: "Manages the consumer groups of a stream",
		Subs: []*cmdtable.Spec{
			{
				Later: []cmdtable.Change{
					arguments("7.2.0", `key@0 group id-selector(id|new-id=$) [MKSTREAM] [ENTRIESREAD:entriesread"entries-read"#]`),
				},
				Name: "create", Arity: -5, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(N) for N groups of the stream",
				Summary: "Creates a group",
				Reply:   `ok`,
				Syntax:  `key@0 groupname id(id|new_id=$) [MKSTREAM] [ENTRIESREAD:entries_read#]`,
			},
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 group consumer`)},
				Name:  "createconsumer", Arity: 5, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 2, 0, 1)},
				Since: "6.2.0", Complexity: "O(N) for N consumers of the group",
				Summary: "Creates a consumer of a group",
				Reply:   `int`,
				Syntax:  `key@0 groupname consumername`,
			},
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 group consumer`)},
				Name:  "delconsumer", Arity: 5, Flags: cmdtable.Write, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(N log M) for N entries pending of the consumer and M of the group",
				Summary: "Removes a consumer of a group, and what it has pending",
				Reply:   `int`,
				Syntax:  `key@0 groupname consumername`,
			},
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 group`)},
				Name:  "destroy", Arity: 4, Flags: cmdtable.Write, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(N) for N groups of the stream",
				Summary: "Removes a group",
				Reply:   `int`,
				Syntax:  `key@0 groupname`,
			},
			{
				Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatStream,
				Since: "5.0.0", Complexity: "O(1)",
				Summary: "Describes the subcommands",
				Reply:   `[status]`,
				Reads:   cmdtable.Nothing,
			},
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 group id-selector(id|new-id=$) [ENTRIESREAD:entriesread"entries-read"#]`)},
				Name:  "setid", Arity: -5, Flags: cmdtable.Write, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(1)",
				Summary: "Makes a group go on behind another id",
				Reply:   `ok`,
				Syntax:  `key@0 groupname id(id|new_id=$) [ENTRIESREAD:entries_read#]`,
			},
		},
	}
}

func xinfoCommand() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "xinfo", Arity: -2,
		Since: "5.0.0", Group: "stream", Complexity: "See the subcommands",
		Summary: "Describes streams and their consumer groups",
		Subs: []*cmdtable.Spec{
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 group`)},
				Name:  "consumers", Arity: 4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
				Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, 0, 1)}, Tips: []string{"nondeterministic_output"},
				Since: "5.0.0", Complexity: "O(N) for N consumers",
				Summary: "Lists the consumers of a group",
				Reply:   `[any]`,
				Varies:  cmdtable.ByClock,
				Syntax:  `key@0 groupname`,
			},
			{
				Name: "groups", Arity: 3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(N) for N groups",
				Summary: "Lists the groups of a stream",
				Reply:   `[any]`,
				Varies:  cmdtable.ByServer,
				Syntax:  `key@0`,
			},
			{
				Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatStream,
				Since: "5.0.0", Complexity: "O(1)",
				Summary: "Describes the subcommands",
				Reply:   `[status]`,
				Reads:   cmdtable.Nothing,
			},
			{
				Later: []cmdtable.Change{arguments("7.2.0", `key@0 [full-block{FULL [COUNT:count#]}]`)},
				Name:  "stream", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatStream,
				Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, 0, 1)},
				Since: "5.0.0", Complexity: "O(N) for N entries in 100, and for what FULL shows",
				Summary: "Describes a stream",
				Reply:   `{text any}`,
				Varies:  cmdtable.ByServer,
				Syntax:  `key@0 [FULL:full{[COUNT:count#]}]`,
			},
		},
	}
}
