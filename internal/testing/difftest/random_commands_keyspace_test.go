package difftest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// fuzzKey is a key in a database.
type fuzzKey struct {
	db  string
	key string
}

// keyspaces compares the result of a sequence: the keys of all databases, their types,
// expiry times, encodings and values. It returns the first difference, or "".
func (f *fuzzer) keyspaces(ours pipe) (string, error) {
	var cmds [][]string
	databases := datastore.DefaultDatabases
	if f.options.Cluster {
		databases = 1
	}
	for db := range databases {
		cmds = append(cmds, []string{"SELECT", strconv.Itoa(db)}, []string{"KEYS", "*"})
	}
	cmds = append([][]string{{"HELLO", "2"}}, cmds...)
	want, got, err := f.both(ours, cmds)
	if err != nil {
		return "", err
	}
	var keys []fuzzKey
	for db := range databases {
		w, _, err := parseFrame(want[2*db+2])
		if err != nil {
			return "", err
		}
		if !(Relax{Unordered: true}).Equal(want[2*db+2], got[2*db+2]) {
			return fmt.Sprintf("the keys of database %d\n\toracle  %q\n\tredmoon %q", db, want[2*db+2], got[2*db+2]), nil
		}
		for _, k := range w.kids {
			keys = append(keys, fuzzKey{strconv.Itoa(db), k.text})
		}
	}
	slices.SortFunc(keys, func(a, b fuzzKey) int { return bytes.Compare([]byte(a.db+" "+a.key), []byte(b.db+" "+b.key)) })
	if text, err := f.slots(ours, keys); text != "" || err != nil {
		return text, err
	}
	return f.values(ours, keys)
}

// slots compares the keys of each slot, in their order. Expired keys may still exist on one side.
func (f *fuzzer) slots(ours pipe, keys []fuzzKey) (string, error) {
	var cmds [][]string
	live := map[string]bool{}
	for _, k := range keys {
		live[k.key] = true
		if f.options.Cluster {
			cmds = append(cmds, []string{"CLUSTER", "GETKEYSINSLOT", strconv.Itoa(engine.Slot(k.key)), "1000"})
		}
	}
	want, got, err := f.both(ours, cmds)
	if err != nil {
		return "", err
	}
	for i, cmd := range cmds {
		var sides [2][]string
		for j, raw := range [][]byte{want[i], got[i]} {
			n, _, err := parseFrame(raw)
			if err != nil {
				return "", err
			}
			for _, k := range n.kids {
				if live[k.text] {
					sides[j] = append(sides[j], k.text)
				}
			}
		}
		if !slices.Equal(sides[0], sides[1]) {
			return fmt.Sprintf("at the end: %q\n\toracle  %q\n\tredmoon %q", cmd, sides[0], sides[1]), nil
		}
	}
	return "", nil
}

// counters compares the counts of INFO after a sequence: calls, rejections and failures of each
// command, errors, lookups. It returns the first difference, or "".
func (f *fuzzer) counters(ours pipe, seq *sequence) (string, error) {
	want, got, err := f.both(ours, [][]string{{"INFO", "commandstats", "errorstats", "stats"}})
	if err != nil {
		return "", err
	}
	w, _, err := parseFrame(want[0])
	if err != nil {
		return "", err
	}
	g, _, err := parseFrame(got[0])
	if err != nil {
		return "", err
	}
	theirs, mine := counted(w.text), counted(g.text)
	for _, sets := range []struct {
		what string
		a, b map[string]bool
	}{{"the oracle alone counts", theirs, mine}, {"Redmoon alone counts", mine, theirs}} {
		for _, line := range slices.Sorted(maps.Keys(sets.a)) {
			name, _, _ := strings.Cut(line, ":")
			if !sets.b[line] && name != "total_connections_received" && (seq.style.dead || name != "expired_keys") &&
				!(seq.chancy() && strings.HasPrefix(name, "keyspace_")) {
				return fmt.Sprintf("at the end, INFO: %s %s", sets.what, line), nil
			}
		}
	}
	return "", nil
}

func (f *fuzzer) values(ours pipe, keys []fuzzKey) (string, error) {
	var cmds [][]string
	for _, k := range keys {
		cmds = append(cmds, []string{"SELECT", k.db}, []string{"TYPE", k.key}, []string{"PEXPIRETIME", k.key}, []string{"OBJECT", "ENCODING",
			k.key},
			[]string{"OBJECT", "IDLETIME", k.key})
	}
	want, got, err := f.both(ours, cmds)
	if err != nil {
		return "", err
	}
	var reads [][]string
	var relax []Relax
	each := len(cmds) / max(1, len(keys))
	for i, k := range keys {
		for j := each * i; j < each*i+each; j++ {
			r := Relax{}
			switch j {
			case each*i + 2, each*i + 4:
				r.Approx = nearMillis
			case each*i + 3:
				r = encodingRelaxation(f.server)
			}
			if j == each*i+4 && f.sharedIdle(want[each*i+3]) {
				r = Relax{Kind: true}
			}
			if !f.lagging(r).Equal(want[j], got[j]) {
				return fmt.Sprintf("at the end, in database %s: %q\n\toracle  %q\n\tredmoon %q", k.db, cmds[j], want[j], got[j]), nil
			}
		}
		typ := string(bytes.TrimSpace(want[each*i+1][1:]))
		hashed := bytes.Contains(want[each*i+3], []byte("hashtable"))
		timed := bytes.Contains(want[each*i+3], []byte("listpackex"))
		for _, read := range f.reads(typ, k.key, hashed, timed) {
			reads = append(reads, []string{"SELECT", k.db}, read.args)
			relax = append(relax, Relax{}, read.relax)
		}
	}
	if want, got, err = f.both(ours, reads); err != nil {
		return "", err
	}
	for i := range reads {
		if !f.lagging(relax[i]).Equal(want[i], got[i]) {
			return fmt.Sprintf("at the end: %q\n\toracle  %s\n\tredmoon %s", reads[i], clip(fmt.Sprintf("%q", want[i]), 2000),
				clip(fmt.Sprintf("%q", got[i]), 2000)), nil
		}
	}
	return "", nil
}

// sharedIdle reports whether a later server keeps one idle time for all keys with the same integer:
// RESTORE with IDLETIME has then set that of others.
func (f *fuzzer) sharedIdle(encoding []byte) bool {
	return f.server != servers.Redis70 && !f.server.Has(servers.OwnNumbers) && bytes.Contains(encoding, []byte("int"))
}

type valueRead struct {
	args  []string
	relax Relax
}

// reads returns the commands that read a whole value.
func (f *fuzzer) reads(typ, key string, hashed, timed bool) []valueRead {
	var list []valueRead
	mixed := hashed || typ == "set" && f.mixedSets
	undumped := mixed || timed || typ == "stream" || f.server == servers.Redis72 // whose oracle writes a later version
	switch typ {
	case "string":
		list = append(list, valueRead{[]string{"GET", key}, Relax{}})
	case "list":
		list = append(list, valueRead{[]string{"LRANGE", key, "0", "-1"}, Relax{}})
	case "hash":
		list = append(list, valueRead{[]string{"HGETALL", key}, Relax{Unordered: hashed, Pairs: hashed}})
	case "set":
		list = append(list, valueRead{[]string{"SMEMBERS", key}, Relax{Unordered: mixed}})
	case "zset":
		list = append(list, valueRead{[]string{"ZRANGE", key, "0", "-1", "WITHSCORES"}, Relax{}})
	case "stream":
		list = append(list, valueRead{[]string{"XRANGE", key, "-", "+"}, Relax{}},
			valueRead{[]string{"XINFO", "STREAM", key, "FULL", "COUNT", "0"}, Relax{Approx: nearMillis}})
	}
	if typ == "hash" && f.server.Has(servers.FieldExpiry) {
		times := []string{"HPEXPIRETIME", key, "FIELDS", "8", "a", "b", "c", "d", "e", "1", "2", "3"}
		list = append(list, valueRead{times, Relax{Approx: nearMillis}})
	}
	if f.dumps && !undumped {
		list = append(list, valueRead{[]string{"DUMP", key}, Relax{}})
	}
	return list
}

// both runs commands on both sides. The oracle's replies are valid until the next call.
func (f *fuzzer) both(ours pipe, cmds [][]string) (want, got [][]byte, err error) {
	if len(cmds) == 0 {
		return nil, nil, nil
	}
	if want, err = f.oracle.Run(cmds); err != nil {
		return nil, nil, fmt.Errorf("oracle: %w", err)
	}
	if got, err = ours.Run(cmds); err != nil {
		return nil, nil, fmt.Errorf("redmoon: %w", err)
	}
	return want, got, nil
}
