package command

// hashFieldCommands declares the commands of later Redis about fields of hashes that expire.
func hashFieldCommands() []*Spec {
	const (
		fields    = `FIELDS:fields{numfields# field...}`
		condition = ` [condition(NX|XX|GT|LT)] `
		perField  = "O(N) for N fields"
	)
	row := func(name, summary, syntax string, handler Handler) *Spec {
		return &Spec{
			Name: name, Arity: -5, Flags: Write | Fast, Cats: CatHash,
			Keys:  []KeySpec{keyRange(RW|Update, 1, 0, 1)},
			Since: "7.4.0", Group: "hash", Complexity: perField,
			Summary: summary, Syntax: syntax, Handler: handler,
		}
	}
	expiring := func(name, summary, when string, handler Handler) *Spec {
		s := row(name, summary, `key@0 `+when+condition+fields, handler)
		s.Arity = -6
		return s
	}
	reading := func(name, summary string, handler Handler, tips ...string) *Spec {
		s := row(name, summary, `key@0 `+fields, handler)
		s.Flags, s.Keys, s.Tips = ReadOnly|Fast, []KeySpec{keyRange(RO|Access, 1, 0, 1)}, tips
		return s
	}
	return []*Spec{
		expiring("hexpire", "Lets fields of a hash expire after so many seconds", `seconds#`, hexpire),
		expiring("hpexpire", "Lets fields of a hash expire after so many milliseconds", `milliseconds#`, hpexpire),
		expiring("hexpireat", "Lets fields of a hash expire at a Unix time in seconds", `unix-time-seconds^`, hexpireat),
		expiring("hpexpireat", "Lets fields of a hash expire at a Unix time in milliseconds", `unix-time-milliseconds^`, hpexpireat),
		row("hpersist", "Takes fields of a hash their expiry times", `key@0 `+fields, hpersist),
		reading("httl", "Tells how many seconds fields of a hash have left", httl, "nondeterministic_output"),
		reading("hpttl", "Tells how many milliseconds fields of a hash have left", hpttl, "nondeterministic_output"),
		reading("hexpiretime", "Tells at which Unix time in seconds fields of a hash expire", hexpiretime),
		reading("hpexpiretime", "Tells at which Unix time in milliseconds fields of a hash expire", hpexpiretime),
	}
}
