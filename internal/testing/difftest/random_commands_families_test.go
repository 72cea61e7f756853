package difftest

import (
	"fmt"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// streamValue knows ids, groups, consumers and idle times. Values that depend on the clock are left
// out, or far apart.
func (g *generator) streamValue(a cmdtable.Arg) (string, bool) {
	rng := g.rng
	switch a.Name {
	case "id":
		switch g.row.Spec.Name {
		case "xadd":
			return g.newID(), true
		case "xread":
			return pick(rng, []string{"0", "0-0", "$", g.oldID(), g.oldID()}), true
		case "xreadgroup":
			return pick(rng, []string{">", ">", ">", "0", g.oldID()}), true
		case "create", "setid":
			return pick(rng, []string{"0", "0", "$", g.oldID()}), true
		}
		return g.oldID(), true
	case "stream-id":
		return g.oldID(), true
	case "last-id", "max_deleted_entry_id":
		return g.newID(), true
	case "start":
		return pick(rng, []string{"-", "-", "0", g.oldID(), "(" + g.oldID(), "0-0"}), true
	case "end":
		return pick(rng, []string{"+", "+", g.oldID(), "(" + g.oldID(), strconv.Itoa(1 + g.ids)}), true
	case "group", "groupname":
		return pick(rng, []string{"g1", "g1", "g1", "g1", "g1", "g1", "g2", "g3"}), true
	case "consumer", "consumername":
		return pick(rng, []string{"alice", "alice", "bob", "bob", "carol", ""}), true
	case "threshold":
		return pick(rng, []string{"0", "1", "2", "3", "5", "10", "100", g.oldID()}), true
	case "count":
		if a.Token == "LIMIT" {
			return pick(rng, []string{"0", "1", "2", "10", "100"}), true
		}
		return pick(rng, []string{"1", "2", "3", "10", "100", "0"}), true
	case "min-idle-time":
		return pick(rng, []string{"0", "0", "0", "2000000", "7000000", "1000000000"}), true
	case "ms":
		return pick(rng, []string{"0", "5000000", "10000000"}), true
	case "unix-time-milliseconds":
		return pick(rng, []string{"1", "1700000000000", "0"}), true
	case "entries_added", "entries_read":
		return pick(rng, []string{"0", "1", "2", "5", "10", "100", "-1"}), true
	}
	return "", false
}

// newID is mostly greater than every id before.
func (g *generator) newID() string {
	switch g.rng.IntN(12) {
	case 0:
		return g.oldID()
	case 1:
		return pick(g.rng, []string{"0-0", "0-1", "0-*", "1-1"})
	case 2:
		return fmt.Sprintf("%d-*", 1+g.ids)
	}
	g.ids++
	if g.rng.IntN(3) == 0 {
		return fmt.Sprintf("%d-%d", g.ids, g.rng.IntN(4))
	}
	return strconv.Itoa(g.ids)
}

// oldID is mostly an id of one of the newest entries.
func (g *generator) oldID() string {
	n := max(0, g.ids-g.rng.IntN(12))
	if g.rng.IntN(5) == 0 {
		n = g.rng.IntN(1 + g.ids)
	}
	if g.rng.IntN(3) == 0 {
		return fmt.Sprintf("%d-%d", n, g.rng.IntN(4))
	}
	return strconv.Itoa(n)
}

// bitOrGeoValue knows bit offsets and types, places and distances.
func (g *generator) bitOrGeoValue(a cmdtable.Arg) (string, bool) {
	rng := g.rng
	var list []string
	switch a.Name {
	case "longitude":
		if rng.IntN(2) == 0 {
			return strconv.FormatFloat(rng.Float64()*360-180, 'g', 2+rng.IntN(14), 64), true
		}
		list = []string{"13.361389", "15.087269", "2.349014", "-122.4194", "0", "180", "-180", "13.583333", "13.36", "179.9999", "1e1"}
	case "latitude":
		if rng.IntN(2) == 0 {
			return strconv.FormatFloat(rng.Float64()*170-85, 'g', 2+rng.IntN(14), 64), true
		}
		list = []string{"38.115556", "37.502669", "48.864716", "37.7749", "0", "85.05112878", "-85.05112878", "37.316667", "38.1", "-84.9"}
	case "radius", "width", "height":
		list = []string{"0", "1", "100", "200.5", "5000", "20000", "1e3", "300000", "40000000", "0.001", "190"}
	case "member", "member1", "member2":
		list = []string{"a", "b", "c", "d", "e", "Palermo", "Catania", "m1", "m2", "m3", "m4", "m5"}
	case "encoding":
		if rng.IntN(2) == 0 {
			return pick(rng, []string{"i", "u"}) + strconv.Itoa(1+rng.IntN(64)), true
		}
		list = []string{"u1", "u2", "u4", "u8", "i8", "i5", "u16", "i16", "u63", "i64", "u32", "i32", "u7", "i1"}
	case "offset":
		switch g.row.Spec.Name {
		case "bitfield", "bitfield_ro":
			list = []string{"0", "1", "8", "#0", "#1", "#3", "100", "7", "63", "#10", "#20", "15"}
		default:
			if rng.IntN(3) == 0 {
				return strconv.Itoa(rng.IntN(3000)), true
			}
			list = []string{"0", "1", "2", "7", "8", "15", "64", "100"}
		}
	case "value", "increment":
		if g.row.Spec.Name == "setbit" {
			list = []string{"0", "1", "1"}
			break
		}
		if rng.IntN(3) == 0 {
			return strconv.FormatInt(int64(rng.Uint64())>>rng.IntN(64), 10), true
		}
		list = []string{"0", "1", "-1", "127", "128", "255", "256", "-128", "-129", "32767", "65536", "9223372036854775807",
			"-9223372036854775808", "10"}
	case "bit":
		list = []string{"0", "1"}
	case "operation":
		list = []string{"AND", "OR", "XOR", "NOT", "and", "Not"}
	case "subcommand":
		list = []string{"GETREG", "DECODE", "ENCODING", "TODENSE", "encoding", "nosuch"}
	case "element":
		return strconv.Itoa(rng.IntN(5000)), rng.IntN(2) == 0
	}
	if list == nil {
		return "", false
	}
	return pick(rng, list), true
}
