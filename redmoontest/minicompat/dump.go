package miniredis

import (
	"fmt"
	"slices"
	"strings"
)

// DumpMaxLineLen is the greatest length of a value in the text of [Miniredis.Dump].
var DumpMaxLineLen = 60

const dumpIndent = "   "

// Dump returns the keys and values of the selected database as text, for debugging. Values that are
// longer than [DumpMaxLineLen] are shortened.
func (m *Miniredis) Dump() string {
	return get(m.db(), func(t tx) string {
		var b strings.Builder
		keys := t.do("KEYS", "*").Strings()
		slices.Sort(keys)
		for _, k := range keys {
			fmt.Fprintf(&b, "- %s\n", k)
			for _, line := range t.dump(k) {
				b.WriteString(dumpIndent + line + "\n")
			}
		}
		return b.String()
	})
}

// dump returns the lines that show the value of a key.
func (t tx) dump(k string) (lines []string) {
	switch t.typ(k) {
	case typeString, typeHLL:
		lines = append(lines, dumpValue(t.do("GET", k).Text()))
	case typeHash:
		fields := t.do("HKEYS", k).Strings()
		slices.Sort(fields)
		for _, f := range fields {
			lines = append(lines, f+": "+dumpValue(t.do("HGET", k, f).Text()))
		}
	case typeList:
		for _, el := range t.do("LRANGE", k, "0", "-1").Strings() {
			lines = append(lines, dumpValue(el))
		}
	case typeSet:
		members := t.do("SMEMBERS", k).Strings()
		slices.Sort(members)
		for _, m := range members {
			lines = append(lines, dumpValue(m))
		}
	case typeZSet:
		for _, m := range t.zset(k) {
			lines = append(lines, fmt.Sprintf("%f: %s", m.score, dumpValue(m.name)))
		}
	case typeStream:
		for _, e := range t.do("XRANGE", k, "-", "+").Slice() {
			lines = append(lines, e.Slice()[0].Text())
			values := e.Slice()[1].Strings()
			for i := 0; i+1 < len(values); i += 2 {
				lines = append(lines, dumpIndent+dumpValue(values[i])+": "+dumpValue(values[i+1]))
			}
		}
	}
	return lines
}

// dumpValue quotes a value, and shortens it if it is long.
func dumpValue(s string) string {
	suffix := ""
	if len(s) > DumpMaxLineLen {
		suffix = fmt.Sprintf("...(%d)", len(s))
		s = s[:max(0, DumpMaxLineLen-len(suffix))]
	}
	return fmt.Sprintf("%q%s", s, suffix)
}
