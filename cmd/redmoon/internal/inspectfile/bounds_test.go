package inspectfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

func TestPrefixTableIsBounded(t *testing.T) {
	p := newPrefixTable()
	p.limit = 100
	for i := range 10000 {
		p.add(fmt.Sprintf("light:%d:%d:%d:%d:x", i, i, i, i), Totals{Keys: 1, Bytes: 10})
		p.add("heavy:a:b", Totals{Keys: 1, Bytes: 500})
		nodes := 0
		p.root.each(func(*prefixNode) { nodes++ })
		require.Equal(t, p.count, nodes)
		require.LessOrEqual(t, nodes, 100)
	}
	r := p.report(2)
	require.True(t, r.Dropped)
	require.Equal(t, "heavy:", r.Top[0].Prefix.String())
	require.Equal(t, int64(10000), r.Top[0].Keys)
	require.Equal(t, int64(20000), p.root.Keys)
	p.add(strings.Repeat("y", 1<<20)+":", Totals{Keys: 1, Bytes: 1 << 40})
	require.Len(t, p.report(1).Top[0].Prefix.text, maxSegment)
}

func TestTableOfWrittenKeysIsBounded(t *testing.T) {
	s := newCommandStats(Options{Top: 1})
	s.maxKeys = 100
	for i := range 5000 {
		s.add(&aoffile.Command{Args: []string{"SET", fmt.Sprint("k", i), "v"}, Size: 30})
		s.add(&aoffile.Command{Args: []string{"INCR", "often"}, Size: 20})
		s.add(&aoffile.Command{Args: []string{fmt.Sprint("NOSUCH", i)}, Size: 20})
		require.LessOrEqual(t, len(s.keys), 100)
		require.LessOrEqual(t, len(s.names), maxCommands)
	}
	c := s.report(Options{Top: 1})
	require.True(t, c.Dropped)
	require.Equal(t, "often", c.Keys[0].Key.String())
	require.Equal(t, int64(5000), c.Keys[0].Count)
	require.Equal(t, int64(15000), c.Count)
	require.Positive(t, c.Others.Count)
}

func TestDatabasesAreBounded(t *testing.T) {
	s := newKeyspaceStats(Options{Now: now})
	for db := range 10 * maxDatabases {
		s.database(db).add(Totals{Keys: 1})
	}
	k := s.report(Options{})
	require.Len(t, k.Databases, maxDatabases+1)
	require.Equal(t, Database{-1, Totals{Keys: 9 * maxDatabases}}, k.Databases[maxDatabases])
}

func TestTopKeepsTheFirst(t *testing.T) {
	for limit := range 12 {
		l := top[int]{limit: limit, before: func(a, b int) bool { return a < b }}
		for i := range 10 {
			l.add(i * 7 % 10)
		}
		want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		require.Equal(t, want[:min(limit, 10)], l.sorted())
	}
}

func TestNamesAreSafe(t *testing.T) {
	for text, want := range map[string]string{
		"plain:1": "plain:1", "grün": "grün", "": `""`, " a": `" a"`, `"a"`: `"\"a\""`, "a\x1b[31m": `"a\x1b[31m"`,
		"\xff": `"\xff"`, "a\u202eb": `"a\xe2\x80\xaeb"`, strings.Repeat("z", 2000): strings.Repeat("z", maxName) + "…",
	} {
		require.Equal(t, want, newName(text).String())
	}
	b, err := json.Marshal([]Name{newName("a"), newName("\xff")})
	require.NoError(t, err)
	require.JSONEq(t, `["a", {"text": "\ufffd", "base64": "/w==", "length": 1}]`, string(b))
	require.Equal(t, `a\nb`, SafeText("a\nb"))
}

func TestSquarifyFillsTheArea(t *testing.T) {
	weights := []float64{60, 60, 40, 30, 20, 10, 1}
	area := rect{0, 0, 60, 40}
	rects := squarify(weights, area)
	require.Len(t, rects, len(weights))
	for i, r := range rects {
		require.InDelta(t, weights[i]/221*2400, r.w*r.h, 1e-6)
		require.LessOrEqual(t, r.x+r.w, 60+1e-9)
		require.LessOrEqual(t, r.y+r.h, 40+1e-9)
		require.Less(t, max(r.w/r.h, r.h/r.w), 7.0, i)
		for _, o := range rects[:i] {
			apart := r.x+1e-9 >= o.x+o.w || o.x+1e-9 >= r.x+r.w || r.y+1e-9 >= o.y+o.h || o.y+1e-9 >= r.y+r.h
			require.True(t, apart, "%v and %v overlap", r, o)
		}
	}
}

func TestTablesFitTheTerminal(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, style: Style{Width: 40}}
	s.table([]string{">n", "key"}, [][]string{{"1", strings.Repeat("k", 100)}, {"22", "ü"}})
	for _, line := range strings.Split(b.String(), "\n") {
		require.LessOrEqual(t, len([]rune(line)), 40)
	}
	require.Contains(t, b.String(), "…")
}
