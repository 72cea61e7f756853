package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// expireRows declares the commands on expiring fields of hashes, which later versions of Redis
// have.
func expireRows() []*cmdtable.Spec {
	const (
		fields    = `FIELDS:fields{numfields# field...}`
		condition = ` [condition(NX|XX|GT|LT)] `
		perField  = "O(N) for N fields"

		inValkey  = `FIELDS:fields{numfields#@0 field...}`
		times     = `EX:seconds#|PX:milliseconds#|EXAT:unix-time-seconds^|PXAT:unix-time-milliseconds^`
		valkeyHas = ` [condition(NX|XX|GT|LT)>-/9.0.0] `
	)
	valkey := func(s *cmdtable.Spec, syntax string) *cmdtable.Spec {
		s.Later = append(s.Later, arguments("-/9.0.0", syntax))
		return s
	}
	row := func(name, summary, syntax string) *cmdtable.Spec {
		return &cmdtable.Spec{
			Name: name, Arity: -5, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "7.4.0/9.0.0", Group: "hash", Complexity: perField,
			Summary: summary, Syntax: syntax, Reply: `[int]`,
		}
	}
	expiring := func(name, summary, when string) *cmdtable.Spec {
		s := row(name, summary, `key@0 `+when+condition+fields)
		s.Arity = -6
		return s
	}
	reading := func(name, summary string, varies cmdtable.Varies, known ...string) *cmdtable.Spec {
		s := row(name, summary, `key@0 `+fields)
		s.Flags, s.Keys, s.Tips = cmdtable.ReadOnly|cmdtable.Fast, []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			known
		s.Varies = varies
		s.Later = []cmdtable.Change{tips("-/9.0.0")}
		return valkey(s, `key@0 `+inValkey)
	}
	getdel := row("hgetdel", "Deletes fields of a hash and returns the values they had", `key@0 `+fields)
	getdel.Reply = `[text|nil]`
	getdel.Keys, getdel.Since = []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 1, 0, 1)}, "8.0.0/9.1.0"
	valkey(getdel, `key@0 `+inValkey)
	getex := row("hgetex", "Returns the values of fields of a hash, and may change when they expire",
		`key@0 [expiration(`+times+`|PERSIST)] `+fields)
	getex.Reply = `[text|nil]`
	getex.Keys, getex.Since = []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)}, "8.0.0/9.0.0"
	valkey(getex, `key@0 [expiration(`+times+`|PERSIST)] `+inValkey)
	setex := row("hsetex", "Sets fields of a hash, on a condition, and may change when they expire",
		`key@0 [condition(FNX|FXX)] [expiration(`+times+`|KEEPTTL)] FIELDS:fields{numfields# data{field value}...}`)
	setex.Reply = `int`
	setex.Later = []cmdtable.Change{keyFlags("-/9.0.0", cmdtable.Insert, cmdtable.Update, 0)}
	valkey(setex, `key@0 [key-condition(NX|XX)] [fields-condition(FNX|FXX)] [expiration(`+times+`|KEEPTTL)] `+
		`FIELDS:fields{numfields#@0 data{field value}...}`)
	setex.Arity, setex.Flags, setex.Since = -6, cmdtable.Write|cmdtable.DenyOOM|cmdtable.Fast, "8.0.0/9.0.0"
	return []*cmdtable.Spec{
		getdel, getex, setex,
		expiring("hexpire", "Lets fields of a hash expire after so many seconds", `seconds#`),
		valkey(expiring("hpexpire", "Lets fields of a hash expire after so many milliseconds", `milliseconds#`),
			`key@0 milliseconds#`+valkeyHas+inValkey),
		valkey(expiring("hexpireat", "Lets fields of a hash expire at a Unix time in seconds", `unix-time-seconds^`),
			`key@0 unix-time-seconds#`+valkeyHas+inValkey),
		valkey(expiring("hpexpireat", "Lets fields of a hash expire at a Unix time in milliseconds", `unix-time-milliseconds^`),
			`key@0 unix-time-milliseconds#`+valkeyHas+inValkey),
		valkey(row("hpersist", "Takes fields of a hash their expiry times", `key@0 `+fields), `key@0 `+inValkey),
		reading("httl", "Tells how many seconds fields of a hash have left", cmdtable.ByClock, "nondeterministic_output"),
		reading("hpttl", "Tells how many milliseconds fields of a hash have left", cmdtable.ByClock, "nondeterministic_output"),
		reading("hexpiretime", "Tells at which Unix time in seconds fields of a hash expire", cmdtable.ByClock|cmdtable.ByDate),
		reading("hpexpiretime", "Tells at which Unix time in milliseconds fields of a hash expire", cmdtable.ByClock|cmdtable.ByDate),
	}
}
