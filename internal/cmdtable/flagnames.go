package cmdtable

// The names of flags and categories, in the order in which COMMAND INFO gives them.

type flagName struct {
	Flag Flag
	Name string
}

func FlagNames() []flagName {
	return []flagName{
		{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"}, {PubSub, "pubsub"},
		{NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"}, {Stale, "stale"},
		{SkipMonitor, "skip_monitor"}, {SkipSlowlog, "skip_slowlog"}, {Asking, "asking"}, {Fast, "fast"},
		{NoAuth, "no_auth"}, {NoMandatoryKeys, "no_mandatory_keys"},
		{NoAsyncLoading, "no_async_loading"}, {NoMulti, "no_multi"}, {MovableKeys, "movablekeys"}, {AllowBusy, "allow_busy"},
	}
}

type CatName struct {
	Cat  Cat
	Name string
}

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

type keyFlagName struct {
	Flag KeyFlag
	Name string
}

func KeyFlagNames() []keyFlagName {
	return []keyFlagName{
		{RO, "RO"}, {RW, "RW"}, {OW, "OW"}, {RM, "RM"}, {Access, "access"}, {Update, "update"}, {Insert, "insert"},
		{Delete, "delete"}, {NotKey, "not_key"}, {Incomplete, "incomplete"}, {VariableFlags, "variable_flags"},
	}
}

// Categories are the row's ACL categories and those that follow from its flags.
func (s *Spec) Categories() Cat {
	c := s.Cats
	derive := func(f Flag, cat Cat) {
		if s.Flags&f != 0 {
			c |= cat
		}
	}
	derive(Write, CatWrite)
	if c&CatScripting == 0 {
		derive(ReadOnly, CatRead)
	}
	derive(Admin, CatAdmin|CatDangerous)
	derive(PubSub, CatPubSub)
	derive(Fast, CatFast)
	derive(Blocking, CatBlocking)
	if s.Flags&Fast == 0 {
		c |= CatSlow
	}
	return c
}

// LegacyRange is what COMMAND INFO tells as first key, last key and step: the range that the
// key-specs form together, as far as they do.
func (s *Spec) LegacyRange() (first, last, step int) {
	if len(s.Keys) == 1 && s.Keys[0].isRange() {
		k := s.Keys[0]
		return k.Index, k.lastIndex(), k.Step
	}
	for _, k := range s.Keys {
		if !k.isRange() {
			continue
		}
		if k.Step != 1 || last != 0 && last != k.Index-1 {
			break
		}
		if first == 0 {
			first = k.Index
		}
		last, step = k.lastIndex(), 1
	}
	return first, last, step
}

// isRange reports whether the keys are a range that begins at a fixed place.
func (k *KeySpec) isRange() bool { return k.Keyword == "" && !k.KeyNum && k.Step != 0 }

func (k *KeySpec) lastIndex() int {
	if k.Last < 0 {
		return k.Last
	}
	return k.Index + k.Last
}
