package keydiff

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Change is a key that differs between two states.
type Change[V any] struct {
	Name          string
	Before, After V    // the zero V if the key does not exist in that state
	Had, Has      bool // the key exists before, after
}

// Changes returns the keys that differ between two states, ordered by name: those that only one
// state has, and those whose values are not the same.
func Changes[V any](before, after iter.Seq2[string, V], same func(a, b V) bool) []Change[V] {
	was := maps.Collect(before)
	var list []Change[V]
	for name, now := range after {
		old, had := was[name]
		delete(was, name)
		if !had || !same(old, now) {
			list = append(list, Change[V]{Name: name, Before: old, After: now, Had: had, Has: true})
		}
	}
	for name, old := range was {
		list = append(list, Change[V]{Name: name, Before: old, Had: true})
	}
	slices.SortFunc(list, func(a, b Change[V]) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Lines compares two states whose keys are described by a line each. It returns the lines that
// differ, ordered by name: with "- " those of before, with "+ " those of after.
func Lines(before, after map[string]string) string {
	var b strings.Builder
	for _, c := range Changes(maps.All(before), maps.All(after), func(a, b string) bool { return a == b }) {
		if c.Had {
			b.WriteString("- " + c.Before + "\n")
		}
		if c.Has {
			b.WriteString("+ " + c.After + "\n")
		}
	}
	return b.String()
}
