package datastore

// ValueKind is the form in which a value is written in an RDB file: the byte before its key.
type ValueKind byte

// The values of modules, which cannot be read.
const (
	rdbModule  = 6
	rdbModule2 = 7
)

// valueKinds are the names of the kinds, as redis-check-rdb has them.
var valueKinds = [...]string{
	rdbString:            "string",
	rdbList:              "list-linked",
	rdbSet:               "set-hashtable",
	rdbZSetText:          "zset-v1",
	rdbHash:              "hash-hashtable",
	rdbZSet:              "zset-v2",
	rdbModule:            "module-pre-release",
	rdbModule2:           "module-value",
	rdbHashZipmap:        "hash-zipmap",
	rdbListZiplist:       "list-ziplist",
	rdbIntset:            "set-intset",
	rdbZSetZiplist:       "zset-ziplist",
	rdbHashZiplist:       "hash-ziplist",
	rdbQuicklist:         "quicklist",
	rdbStream:            "stream",
	rdbHashListpack:      "hash-listpack",
	rdbZSetListpack:      "zset-listpack",
	rdbQuicklist2:        "quicklist-v2",
	rdbStream2:           "stream-v2",
	rdbSetListpack:       "set-listpack",
	rdbStream3:           "stream-v3",
	rdbHashTimesEarly:    "hash-hashtable-md-pre-release",
	rdbHashListpackEarly: "hash-listpack-md-pre-release",
	rdbHashTimes:         "hash-hashtable-md",
	rdbHashListpackTimes: "hash-listpack-md",
	rdbStream4:           "stream-v4",
}

// String returns the name of the kind as redis-check-rdb prints it, or "" if there is no such kind.
func (k ValueKind) String() string {
	switch {
	case int(k) < len(valueKinds):
		return valueKinds[k]
	case k == rdbHashValkey:
		return "hash-volatile-items"
	}
	return ""
}

// Module reports whether k is the value of a module.
func (k ValueKind) Module() bool { return k == rdbModule || k == rdbModule2 }

// Type returns the type of values of that kind. The kind must exist and not be that of a module.
func (k ValueKind) Type() Type {
	switch k {
	case rdbString:
		return TypeString
	case rdbList, rdbListZiplist, rdbQuicklist, rdbQuicklist2:
		return TypeList
	case rdbSet, rdbIntset, rdbSetListpack:
		return TypeSet
	case rdbZSet, rdbZSetText, rdbZSetZiplist, rdbZSetListpack:
		return TypeZSet
	case rdbStream, rdbStream2, rdbStream3, rdbStream4:
		return TypeStream
	}
	return TypeHash
}

// ValueInfo describes a value of an RDB file.
type ValueInfo struct {
	Kind     ValueKind
	Size     int64  // bytes in the file, without the key
	Elements int64  // of a string, its bytes; -1 if unknown
	Module   string // the type of a module's value
}

// Element is an element of a value in an RDB file.
type Element struct {
	Text     string   // the string, list element, member or field
	Value    string   // of a field
	Score    float64  // of a member of a sorted set
	ExpireAt int64    // of a field, ms since the epoch; 0 is never
	ID       StreamID // of a stream entry
	Pairs    []string // of a stream entry: field, value, field, value ...
}

// moduleName returns the name of the type of a module: nine characters of six bits, and a version.
func moduleName(id uint64) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var name [9]byte
	id >>= 10
	for i := len(name) - 1; i >= 0; i-- {
		name[i] = chars[id&63]
		id >>= 6
	}
	return string(name[:])
}

// The opcodes in the value of a module.
const (
	moduleEnd    = 0
	moduleInt    = 1
	moduleUint   = 2
	moduleFloat  = 3
	moduleDouble = 4
	moduleText   = 5
)

// keyMetadata skips the metadata that modules have of a key, which precede its kind in a dump.
func (r *rdbReader) keyMetadata() {
	if r.version >= redis86Version && r.version < valkey90Version && r.Next() == opKeyMeta {
		r.Byte()
		r.skipKeyMetadata()
	}
}

// skipKeyMetadata skips the metadata of some modules: for each its class and its value.
func (r *rdbReader) skipKeyMetadata() {
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.Skip(4)
		r.skipModule()
	}
}

// skipModule skips the value of a module, to its end.
func (r *rdbReader) skipModule() {
	for !r.Bad {
		switch r.Length() {
		case moduleEnd:
			return
		case moduleInt, moduleUint:
			r.Number()
		case moduleFloat:
			r.Skip(4)
		case moduleDouble:
			r.Skip(8)
		case moduleText:
			r.SkipText()
		default:
			r.Fail()
		}
	}
}
