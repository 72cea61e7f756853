package datastore

// DumpVersion is the default version of the RDB format in which dumps are written, that of Redis
// 7.0. Older versions can be read too.
const DumpVersion = 10

// AnyVersion as the version of a reader: it reads every version that a server writes.
const AnyVersion = -1

// The versions of the RDB format. Those of Valkey are not on the line of those of Redis: a reader
// of one refuses what the other has added.
const (
	redis72Version  = 11 // sets as listpacks; consumers of streams have an active time
	redis74Version  = 12 // hash fields that expire; the sizes of hash slots
	redis86Version  = 13 // streams know their producers; keys have metadata of modules
	lastRedis       = redis86Version
	valkey90Version = 80 // hash fields that expire, in another form; files begin with VALKEY
	lastValkey      = valkey90Version
)

// reads reports whether a reader of version own reads another version.
func reads(own, version int, relaxed bool) bool {
	switch {
	case own == AnyVersion:
		return version <= lastRedis || version == lastValkey
	case own >= valkey90Version && relaxed:
		return version >= 1
	case own >= valkey90Version:
		return version >= 1 && version <= redis72Version || version >= valkey90Version && version <= own
	case relaxed: // Valkey 8.1
		return version <= own || version >= valkey90Version
	}
	return version <= own
}

// foreign reports whether a version has, to a reader of version own, the kinds of another line.
func foreign(own, version int) bool {
	return own >= valkey90Version && version > redis72Version && version < valkey90Version
}

// kindsOf returns the version whose kinds a reader of version own knows, in a dump of some version.
func kindsOf(own, version int) int {
	switch {
	case own != AnyVersion:
		return own
	case version >= valkey90Version:
		return lastValkey
	}
	return lastRedis
}

// knownKind returns the kind that a byte stands for; ok is false if it is none to a reader of that
// version.
func knownKind(b byte, version int) (kind ValueKind, ok bool) {
	last := byte(rdbStream2)
	switch {
	case version >= valkey90Version:
		last = rdbHashTimesEarly
		if b == rdbHashTimesEarly {
			b = rdbHashValkey
			last = rdbHashValkey
		}
	case version >= redis86Version:
		last = rdbStream4
	case version >= redis74Version:
		last = rdbHashListpackTimes
	case version >= redis72Version:
		last = rdbStream3
	}
	kind = ValueKind(b)
	return kind, b <= last && kind.String() != ""
}
