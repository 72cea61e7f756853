package inspectfile

import (
	"cmp"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// periods are the periods of Keyspace.Expiry, before periodLater and periodNever. Each begins where
// the one before it ends.
var periods = []struct {
	name string
	end  time.Duration // from now
}{
	{"expired", 0},
	{"within an hour", time.Hour},
	{"within a day", 24 * time.Hour},
	{"within a week", 7 * 24 * time.Hour},
}

const (
	periodLater = "later"
	periodNever = "never"
)

// maxDatabases is the number of databases that are counted separately.
const maxDatabases = 256

// keyspaceStats counts the keys of an RDB file.
type keyspaceStats struct {
	now       int64 // ms since the epoch
	version   int
	aux       []Aux
	modules   []string
	needed    []string // types of modules without which the present file cannot be loaded
	functions []Function
	totals    Totals
	databases map[int]*Totals
	kinds     map[datastore.ValueKind]*Kind
	expiry    []Expiry
	prefixes  *prefixTable

	biggest, longest, soonest top[Key]
}

func newKeyspaceStats(o Options) *keyspaceStats {
	s := &keyspaceStats{
		now: o.Now.UnixMilli(), aux: []Aux{}, modules: []string{}, functions: []Function{},
		databases: map[int]*Totals{}, kinds: map[datastore.ValueKind]*Kind{}, prefixes: newPrefixTable(),
	}
	for _, p := range periods {
		s.expiry = append(s.expiry, Expiry{Period: p.name})
	}
	s.expiry = append(s.expiry, Expiry{Period: periodLater}, Expiry{Period: periodNever})
	by := func(first func(a, b Key) int) top[Key] {
		return top[Key]{limit: o.Top, before: func(a, b Key) bool {
			return cmp.Or(first(a, b), cmp.Compare(a.DB, b.DB), cmp.Compare(a.Key.text, b.Key.text)) < 0
		}}
	}
	s.biggest = by(func(a, b Key) int { return cmp.Compare(b.Bytes, a.Bytes) })
	s.longest = by(func(a, b Key) int { return cmp.Compare(b.Elements, a.Elements) })
	s.soonest = by(func(a, b Key) int { return cmp.Compare(a.ExpireAt, b.ExpireAt) })
	return s
}

// add counts a key. bytes is what it takes in the file.
func (s *keyspaceStats) add(it *datastore.FileItem, info datastore.ValueInfo, bytes int64) {
	typ := typeName(info.Kind)
	isString := typ == datastore.TypeString.String()
	t := Totals{Keys: 1, Bytes: bytes}
	if !isString {
		t.Elements = max(info.Elements, 0)
	}
	if it.ExpireAt != 0 {
		t.Expires = 1
	}
	s.totals.add(t)
	s.database(it.DB).add(t)
	s.prefixes.add(it.Key, t)
	k := s.kinds[info.Kind]
	if k == nil {
		k = &Kind{Type: typ, Encoding: info.Kind.String()}
		s.kinds[info.Kind] = k
	}
	k.add(t)
	k.Largest = max(k.Largest, bytes)
	if isString {
		k.Length += info.Elements
	}
	e := s.period(it.ExpireAt)
	e.Keys++
	e.Bytes += bytes

	key := Key{DB: it.DB, Key: newName(it.Key), Type: typ, Encoding: info.Kind.String(), Bytes: bytes, Elements: info.Elements,
		ExpireAt: it.ExpireAt}
	if it.ExpireAt != 0 && it.ExpireAt > s.now {
		s.soonest.add(key)
	}
	s.biggest.add(key)
	if !isString && info.Elements >= 0 {
		s.longest.add(key)
	}
}

func (s *keyspaceStats) database(db int) *Totals {
	t := s.databases[db]
	if t == nil {
		if len(s.databases) >= maxDatabases {
			db = -1
			if t = s.databases[db]; t != nil {
				return t
			}
		}
		t = &Totals{}
		s.databases[db] = t
	}
	return t
}

// period returns the row of keys that expire at a time, in ms since the epoch; 0 is never.
func (s *keyspaceStats) period(at int64) *Expiry {
	if at == 0 {
		return &s.expiry[len(s.expiry)-1]
	}
	for i, p := range periods {
		if at <= s.now+p.end.Milliseconds() {
			return &s.expiry[i]
		}
	}
	return &s.expiry[len(periods)]
}

func typeName(k datastore.ValueKind) string {
	if k.Module() {
		return "module"
	}
	return k.Type().String()
}

func (s *keyspaceStats) report(o Options) *Keyspace {
	k := &Keyspace{
		Totals: s.totals, Version: s.version, Aux: s.aux, Modules: s.modules, Functions: s.functions,
		Databases: []Database{}, Kinds: []Kind{}, Expiry: s.expiry,
		Biggest: s.biggest.sorted(), Longest: s.longest.sorted(), Soonest: s.soonest.sorted(),
		Prefixes: s.prefixes.report(o.Top),
	}
	for db, t := range s.databases {
		k.Databases = append(k.Databases, Database{db, *t})
	}
	slices.SortFunc(k.Databases, func(a, b Database) int { return cmp.Compare(uint(a.DB), uint(b.DB)) }) // -1 is last
	for _, kind := range s.kinds {
		k.Kinds = append(k.Kinds, *kind)
	}
	slices.SortFunc(k.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Encoding, b.Encoding))
	})
	return k
}

// needs notes that the present file cannot be loaded without a type of a module.
func (s *keyspaceStats) needs(module string) {
	if !slices.Contains(s.needed, module) && len(s.needed) < maxNotes {
		s.needed = append(s.needed, module)
	}
}
