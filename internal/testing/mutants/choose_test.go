package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// somePlaces returns places of two folders: 50 of one, 3 of the other, of which two overlap.
func somePlaces() []*place {
	var places []*place
	for i := range 50 {
		places = append(places, &place{identity: identity{path: "resp/a.go", text: fmt.Sprint(i), ordinal: 1}, folder: "resp", start: 2 * i,
			end: 2*i + 1})
	}
	for i := range 3 {
		places = append(places, &place{identity: identity{path: "engine/a.go", text: fmt.Sprint(i), ordinal: 1}, folder: "engine", start: 3 * i,
			end: 3*i + 4 - i%2*2})
	}
	return places
}

func names(c *choice) []string {
	var list []string
	for _, m := range c.mutants {
		list = append(list, m.path+" "+m.text)
	}
	return list
}

func TestChoiceIsStable(t *testing.T) {
	c := chooseBySeed(somePlaces(), 20, 1)
	require.Len(t, c.mutants, 20)
	require.Equal(t, names(c), names(chooseBySeed(somePlaces(), 20, 1)))
	require.Equal(t, names(c)[:10], names(chooseBySeed(somePlaces(), 10, 1)))
	require.NotEqual(t, names(c), names(chooseBySeed(somePlaces(), 20, 2)))
	fewer := names(chooseBySeed(somePlaces()[1:], 20, 1)) // a commit without one of the places
	same := 0
	for _, n := range names(c) {
		for _, f := range fewer {
			if n == f {
				same++
			}
		}
	}
	require.GreaterOrEqual(t, same, 19)
}

func TestChosenPlacesDoNotOverlap(t *testing.T) {
	c := chooseBySeed(somePlaces(), 100, 1)
	for i, a := range c.mutants {
		for _, b := range c.mutants[:i] {
			require.False(t, a.path == b.path && a.start < b.end && b.start < a.end, "%s %s", a.text, b.text)
		}
	}
	require.Greater(t, len(c.mutants), 50)
}

func TestADroppedMutantIsReplaced(t *testing.T) {
	c := chooseBySeed(somePlaces(), 10, 1)
	out := c.mutants[3]
	c.drop(out)
	require.Len(t, c.mutants, 10)
	ids := map[int]bool{}
	for _, m := range c.mutants {
		require.NotSame(t, out.place, m.place)
		require.False(t, ids[m.id])
		ids[m.id] = true
	}
}

func TestOnly(t *testing.T) {
	wanted := []identity{{path: "resp/a.go", text: "7", ordinal: 1}, {path: "resp/gone.go", ordinal: 1}}
	c, missing := chooseOnly(somePlaces(), wanted)
	require.Equal(t, []string{"resp/a.go 7"}, names(c))
	require.Equal(t, wanted[1:], missing)
}

func TestIdentityFiles(t *testing.T) {
	list, reasons,
		err := readIdentities("# a comment\n\na.go\tf\t< to <=\t1\tif a < b {\n\tthey are\n\tnever equal\nb.go\tg\tn to n+1\t2\ta[0] = 1\n")
	require.NoError(t, err)
	first := identity{"a.go", "f", "< to <=", 1, "if a < b {"}
	require.Equal(t, []identity{first, {"b.go", "g", "n to n+1", 2, "a[0] = 1"}}, list)
	require.Equal(t, map[identity]string{first: "they are never equal"}, reasons)
	_, _, err = readIdentities("a line\n")
	require.Error(t, err)
	_, _, err = readIdentities(equivalents)
	require.NoError(t, err)
}
