package redmoontest

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/keydiff"
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
func (ks Keyspace) Diff(other Keyspace) string { return keydiff.Lines(ks.lines(), other.lines()) }

// lines describes each key as [Keyspace.String] does.
func (ks Keyspace) lines() map[string]string {
	lines := make(map[string]string, len(ks))
	for key, value := range ks {
		lines[key] = strings.TrimSuffix(Keyspace{key: value}.String(), "\n")
	}
	return lines
}
