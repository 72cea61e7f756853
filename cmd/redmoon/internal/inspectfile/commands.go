package inspectfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

const (
	maxCommands = 1000  // names of commands that are counted separately
	maxCommand  = 64    // bytes of the name of a command; longer ones are cut
	maxWritten  = 20000 // keys in the table
)

// writtenKey is a key of the table of keys. Long names are cut, so that two of them may be one.
type writtenKey struct {
	db     int
	key    string
	length int
}

// commandStats counts the commands of append-only files.
type commandStats struct {
	o           Options
	table       engine.Commands
	db          int // selected
	total       Command
	multi       int64
	first, last int64
	names       map[string]*Command
	others      Command
	keys        map[writtenKey]*Written
	maxKeys     int
	dropped     bool
	prefixes    *prefixTable
}

func newCommandStats(o Options) *commandStats {
	table, _ := engine.CommandsOf("8.0")
	return &commandStats{
		o: o, table: table, names: map[string]*Command{}, keys: map[writtenKey]*Written{}, maxKeys: maxWritten,
		prefixes: newPrefixTable(),
	}
}

func (s *commandStats) add(cmd *aoffile.Command) {
	if s.first == 0 {
		s.first = cmd.Time
	}
	s.last = max(s.last, cmd.Time)
	name := cmd.Args[0]
	if len(name) > maxCommand {
		name = name[:maxCommand]
	}
	name = strings.ToLower(name)
	if name == "select" && len(cmd.Args) == 2 {
		if db, err := strconv.ParseInt(cmd.Args[1], 10, 32); err == nil {
			s.db = int(db)
		}
	}
	keys := s.table.Keys(cmd.Args...)
	if s.o.Match != nil {
		keys = slices.DeleteFunc(keys, func(i int) bool { return !s.o.Match(cmd.Args[i]) })
		if len(keys) == 0 {
			return
		}
	}
	if name == "multi" {
		s.multi++
	}
	s.total.Count++
	s.total.Bytes += cmd.Size
	s.named(name, cmd.Size)
	for _, i := range keys {
		// A command of many keys shares its bytes out, so that sums over keys stay below the file's.
		s.wrote(cmd.Args[i], cmd.Size/int64(len(keys)))
	}
}

func (s *commandStats) named(name string, size int64) {
	c := s.names[name]
	switch {
	case c != nil:
	case len(s.names) < maxCommands:
		name = strings.Clone(name)
		c = &Command{Name: newName(name)}
		s.names[name] = c
	default:
		c = &s.others
	}
	c.Count++
	c.Bytes += size
}

// wrote counts a key of a command.
func (s *commandStats) wrote(key string, size int64) {
	s.prefixes.add(key, Totals{Keys: 1, Bytes: size})
	name := newName(key)
	id := writtenKey{s.db, name.text, name.length}
	w := s.keys[id]
	if w == nil {
		if len(s.keys) >= s.maxKeys {
			s.drop()
		}
		id.key = strings.Clone(id.key) // an argument may share memory with others
		name.text = id.key
		w = &Written{DB: s.db, Key: name}
		s.keys[id] = w
	}
	w.Count++
	w.Bytes += size
}

// drop removes the half of the keys that was written less.
func (s *commandStats) drop() {
	type row struct {
		id    writtenKey
		count int64
	}
	all := make([]row, 0, len(s.keys))
	for id, w := range s.keys {
		all = append(all, row{id, w.Count})
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.id.db, b.id.db), cmp.Compare(a.id.key, b.id.key))
	})
	for _, r := range all[:(len(all)+1)/2] {
		delete(s.keys, r.id)
	}
	s.dropped = true
}

func (s *commandStats) report(o Options) *Commands {
	keys := top[Written]{limit: o.Top, before: func(a, b Written) bool {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.DB, b.DB),
			cmp.Compare(a.Key.text, b.Key.text)) < 0
	}}
	for _, w := range s.keys {
		keys.add(*w)
	}
	c := &Commands{
		Count: s.total.Count, Bytes: s.total.Bytes, Multi: s.multi, First: unixTime(s.first), Last: unixTime(s.last),
		Names: []Command{}, Others: s.others, Keys: keys.sorted(), Dropped: s.dropped, Prefixes: s.prefixes.report(o.Top),
	}
	for _, n := range s.names {
		c.Names = append(c.Names, *n)
	}
	slices.SortFunc(c.Names, func(a, b Command) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name.text, b.Name.text))
	})
	return c
}

// lastSecond is the last that JSON can have, the end of the year 9999.
const lastSecond = 253402300799

// unixTime returns a time in seconds since the epoch, or nil if it is unknown.
func unixTime(s int64) *time.Time {
	if s <= 0 || s > lastSecond {
		return nil
	}
	t := time.Unix(s, 0).UTC()
	return &t
}
