package difftest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakePeer answers each command by a function of its words.
type fakePeer struct {
	answer func(args []string) string
	digest string
	sent   [][]string
	passed time.Duration
	opened int
}

func (p *fakePeer) Open() (Conn, error)     { p.opened++; return p, nil }
func (p *fakePeer) Pass(d time.Duration)    { p.passed += d }
func (p *fakePeer) Digest() (string, error) { return p.digest, nil }
func (p *fakePeer) Close()                  {}
func (p *fakePeer) Do(args []string) ([]byte, error) {
	p.sent = append(p.sent, args)
	return []byte(p.answer(args)), nil
}

func always(reply string) *fakePeer {
	return &fakePeer{answer: func([]string) string { return reply }}
}

func TestWrappings(t *testing.T) {
	f := mustParse(t, "GET k\n!resp 3\nGET k\n!session b\nGET k\n!wait 2s\n")
	for w, want := range map[wrapping]string{
		wrapNone: "GET k|HELLO 3|GET k|GET k",
		wrapCall: "EVAL " + callScript + " 0 GET k|HELLO 3|EVAL " + callScript3 + " 0 GET k|EVAL " + callScript + " 0 GET k",
		wrapExec: "MULTI|GET k|EXEC|HELLO 3|MULTI|GET k|EXEC|MULTI|GET k|EXEC",
	} {
		p := always("+OK\r\n")
		_, err := play(p, f, w, nil)
		require.NoError(t, err)
		var sent []string
		for _, args := range p.sent {
			sent = append(sent, strings.Join(args, " "))
		}
		require.Equal(t, want, strings.Join(sent, "|"))
		require.Equal(t, 2, p.opened)
		require.Equal(t, 2*time.Second, p.passed)
	}
}

func judge(t *testing.T, text string, w wrapping, oracle, redmoon Peer) Result {
	t.Helper()
	f := mustParse(t, text)
	want, err := play(oracle, f, w, nil)
	require.NoError(t, err)
	got, err := play(redmoon, f, w, nil)
	require.NoError(t, err)
	return compare(f, w, want, got)
}

func TestADifferenceIsAFault(t *testing.T) {
	res := judge(t, "GET k", wrapNone, always(":1\r\n"), always(":2\r\n"))
	require.Equal(t, []Fault{{1, "\"GET\" \"k\"\n\toracle  \":1\\r\\n\"\n\tredmoon \":2\\r\\n\""}}, res.Faults)
	require.Empty(t, judge(t, "GET k", wrapNone, always(":1\r\n"), always(":1\r\n")).Faults)
}

func TestARelaxationReachesOnlyTheReplyOfExec(t *testing.T) {
	exec := func(queued, result string) *fakePeer {
		return &fakePeer{answer: func(args []string) string {
			switch args[0] {
			case "MULTI":
				return "+OK\r\n"
			case "EXEC":
				return "*1\r\n" + result
			}
			return queued
		}}
	}
	want := exec("+QUEUED\r\n", ":1\r\n")
	require.Empty(t, judge(t, "!kind\nGET k", wrapExec, want, exec("+QUEUED\r\n", ":2\r\n")).Faults)
	require.NotEmpty(t, judge(t, "!kind\nGET k", wrapExec, want, exec("+QUEUED\r\n", "+2\r\n")).Faults)
	require.NotEmpty(t, judge(t, "!kind\nGET k", wrapExec, want, exec("+queued\r\n", ":1\r\n")).Faults)
}

func TestAMarkedDifferenceMustDiffer(t *testing.T) {
	text := "!differs x\nGET k"
	res := judge(t, text, wrapNone, always(":1\r\n"), always(":2\r\n"))
	require.Empty(t, res.Faults)
	require.Equal(t, map[int]bool{2: true}, res.Differing)
	require.Equal(t, map[int]bool{2: false}, judge(t, text, wrapNone, always(":1\r\n"), always(":1\r\n")).Differing)
}

func TestAFrozenStepMustBeRefusedAndChangeNothing(t *testing.T) {
	text := "!frozen on\nSET k v"
	require.Empty(t, judge(t, text, wrapNone, always("-ERR x\r\n"), always("-ERR x\r\n")).Faults)
	require.Empty(t, judge(t, text, wrapExec, always("*1\r\n-ERR x\r\n"), always("*1\r\n-ERR x\r\n")).Faults)
	require.NotEmpty(t, judge(t, text, wrapNone, always("+OK\r\n"), always("+OK\r\n")).Faults)
	changing := always("-ERR x\r\n")
	changing.answer = func([]string) string { changing.digest += "x"; return "-ERR x\r\n" }
	require.NotEmpty(t, judge(t, text, wrapNone, always("-ERR x\r\n"), changing).Faults)
}

func TestGoldensAreReplayed(t *testing.T) {
	f := mustParse(t, strings.Join([]string{
		"A", "B", "B", "B", "!session c", "!kind", "C", "D", "!unordered", "E", "F"}, "\n"))
	long, list := "$300\r\n"+strings.Repeat("x", 300)+"\r\n", "*2\r\n:1\r\n:2\r\n"
	server := func(bLetter, c, d, e string) *fakePeer {
		return &fakePeer{answer: func(args []string) string {
			if args[0] == "EVAL" {
				args = args[3:]
			}
			return map[string]string{"A": "+a\x00\xff\"\r\n", "B": "+" + bLetter + "\r\n", "C": c, "D": d, "E": e, "F": "-ERR f\r\n"}[args[0]]
		}}
	}
	start := time.UnixMilli(1700000000123)
	rec := &Recording{Version: OracleVersion, Hash: f.Hash, plays: map[wrapping]*playback{}}
	for _, w := range []wrapping{wrapNone, wrapCall} {
		outs, err := play(server("b", ":1\r\n", long, list), f, w, nil)
		require.NoError(t, err)
		rec.plays[w] = &playback{start: start, outs: outs}
	}
	path := filepath.Join(t.TempDir(), "x.golden")
	require.NoError(t, rec.Write(path, f))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "xxx")
	require.Contains(t, string(text), "x 2\n")

	back, err := ReadRecording(path, f)
	require.NoError(t, err)
	require.Equal(t, OracleVersion, back.Version)
	require.Equal(t, start, back.plays[wrapCall].start)
	_, same := rec.SameAs(back, f)
	require.True(t, same)

	for name, c := range map[string]struct {
		peer *fakePeer
		line int
	}{
		"same":                    {server("b", ":7\r\n", long, "*2\r\n:2\r\n:1\r\n"), 0},
		"other status":            {server("c", ":1\r\n", long, list), 2},
		"other kind":              {server("b", "+1\r\n", long, list), 7},
		"other byte of long text": {server("b", ":1\r\n", strings.Replace(long, "xx", "xy", 1), list), 8},
		"other element":           {server("b", ":1\r\n", long, "*2\r\n:2\r\n:3\r\n"), 10},
	} {
		got, err := play(c.peer, f, wrapCall, nil)
		require.NoError(t, err)
		faults := compare(f, wrapCall, back.plays[wrapCall].outs, got).Faults
		if c.line == 0 {
			require.Empty(t, faults, name)
			continue
		}
		require.NotEmpty(t, faults, name)
		require.Equal(t, c.line, faults[0].Line, name)
	}

	timed := mustParse(t, "!approx 5\nA")
	at := func(n string) *Recording {
		outs, err := play(always(n), timed, wrapNone, nil)
		require.NoError(t, err)
		return &Recording{plays: map[wrapping]*playback{wrapNone: {outs: outs}}}
	}
	_, same = at(":1000\r\n").SameAs(at(":2000\r\n"), timed)
	require.True(t, same)
	line, same := at(":1000\r\n").SameAs(at("+x\r\n"), timed)
	require.False(t, same)
	require.Equal(t, 2, line)

	changed := mustParse(t, "A")
	_, err = ReadRecording(path, changed)
	require.ErrorIs(t, err, ErrStale)
}

func TestDifferencesAreRead(t *testing.T) {
	read := func(text string) (map[string]Difference, error) {
		path := filepath.Join(t.TempDir(), "d.md")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return ReadDifferences(path)
	}
	all,
		err := read("# Title\nwords\n\n## a-b\n\n- what: one\n  more\n- reason: two\n- where: three\n\n" +
		"## c\n- what: x\n- reason: y\n- where: z\n")
	require.NoError(t, err)
	require.Equal(t, map[string]Difference{"a-b": {"a-b", "one more", "two", "three"}, "c": {"c", "x", "y", "z"}}, all)
	_, err = read("## a\n- what: x\n- where: y\n")
	require.ErrorContains(t, err, "a lacks")
	_, err = read("## a\n- what: x\n- reason: y\n- where: z\n## a\n- what: x\n- reason: y\n- where: z\n")
	require.ErrorContains(t, err, "stands twice")
	_, err = read(string([]byte("")))
	require.NoError(t, err)
	_, err = ReadDifferences(filepath.Join(t.TempDir(), "none"))
	require.True(t, errors.Is(err, os.ErrNotExist))
}
