package redmoontest

import (
	"strings"
)

// RequireKeyspace ends the test if database 0 does not hold exactly what want says. It shows the
// keys that differ.
func (e *Engine) RequireKeyspace(want Keyspace) {
	e.t.Helper()
	if diff := want.Diff(e.Keyspace()); diff != "" {
		e.t.Fatalf("redmoontest: the keyspace is not as expected (- expected, + found):\n%s", diff)
	}
}

// Diff compares ks with another keyspace. It returns a line for each key that differs, in sorted
// order: with "-" its value in ks, with "+" its value in other. It returns "" if both are equal.
func (ks Keyspace) Diff(other Keyspace) string {
	all := Keyspace{}
	for _, side := range []Keyspace{ks, other} {
		for key := range side {
			all[key] = nil
		}
	}
	var b strings.Builder
	for _, key := range all.Keys() {
		was, is := line(ks, key), line(other, key)
		if was == is {
			continue
		}
		if was != "" {
			b.WriteString("- " + was)
		}
		if is != "" {
			b.WriteString("+ " + is)
		}
	}
	return b.String()
}

// line is a key as [Keyspace.String] shows it, or "" if there is no such key.
func line(ks Keyspace, key string) string {
	value, ok := ks[key]
	if !ok {
		return ""
	}
	return Keyspace{key: value}.String()
}
