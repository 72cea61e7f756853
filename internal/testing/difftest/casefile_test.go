package difftest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{`SET k v`, []string{"SET", "k", "v"}},
		{"  a\t b ", []string{"a", "b"}},
		{`"a\x00\xfFb" "\n\r\t\b\a\\\"\q"`, []string{"a\x00\xffb", "\n\r\t\b\a\\\"q"}},
		{`'a\'b' 'raw\n'`, []string{"a'b", `raw\n`}},
		{`"" ''`, []string{"", ""}},
		{`pre"fix x"`, []string{"prefix x"}},
		{`"\x4"`, []string{"x4"}},
		{``, nil},
	} {
		got, err := texts(c.line)
		require.NoError(t, err, c.line)
		require.Equal(t, c.want, got, c.line)
	}
	for _, line := range []string{`"open`, `'open`, `"a"b`, `'a'b`, `"\`} {
		_, err := splitWords(line)
		require.ErrorIs(t, err, errUnbalanced, line)
	}
}

func parseText(t *testing.T, text string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.rdt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return ParseFile(path)
}

func mustParse(t *testing.T, text string) *File {
	t.Helper()
	f, err := parseText(t, text)
	require.NoError(t, err)
	return f
}

func TestRelaxationsHoldForOneCommandOnly(t *testing.T) {
	f := mustParse(t, "!unordered\n!approx 5\n!differs some-id\nA\nB\n!kind\nC\n!noreply\nD\n!unordered pairs\nE\n")
	require.Equal(t, Relax{Unordered: true, Approx: 5}, f.Steps[0].Relax)
	require.Equal(t, "some-id", f.Steps[0].Differs)
	require.Equal(t, Relax{}, f.Steps[1].Relax)
	require.Empty(t, f.Steps[1].Differs)
	require.True(t, f.Steps[2].Relax.Kind)
	require.True(t, f.Steps[3].NoReply)
	require.Equal(t, Relax{Unordered: true, Pairs: true}, f.Steps[4].Relax)
}

func TestActions(t *testing.T) {
	f := mustParse(t, "!doors resp\n!resp 3\n!session b\n!wait 30ms\n!frozen on\n!raw \"a\\r\\n\" 2\nX\n!frozen off\nY\n!close\n")
	require.Equal(t, []Door{DoorRESP}, f.Doors)
	require.Equal(t, []Step{
		{Line: 2, kind: stepResp, N: 3},
		{Line: 3, kind: stepSession, Name: "b"},
		{Line: 4, kind: stepWait, Wait: 30 * time.Millisecond},
		{Line: 6, kind: stepRaw, Raw: "a\r\n", N: 2, Frozen: true},
		{Line: 7, Args: []string{"X"}, Frozen: true},
		{Line: 9, Args: []string{"Y"}},
		{Line: 10, kind: stepClose},
	}, f.Steps)
	require.Equal(t, AllDoors(), mustParse(t, "X").Doors)
}

func TestLoops(t *testing.T) {
	f := mustParse(t, "!loop 2\nA %d\n!loop 2\nB\n!end\n!end\nC %d\n")
	var got []string
	var lines []int
	for _, s := range f.Steps {
		got = append(got, s.text())
		lines = append(lines, s.Line)
	}
	require.Equal(t, []string{`"A" "0"`, `"B"`, `"B"`, `"A" "1"`, `"B"`, `"B"`, `"C" "%d"`}, got)
	require.Equal(t, []int{2, 4, 4, 2, 4, 4, 7}, lines)
}

func TestHereTextsAndSeeds(t *testing.T) {
	f := mustParse(t, "EVAL <<A 1 <<B \"<<C\" @seed:x.lua\n  local x\n# no comment\nA\n\nB\nPING\n")
	require.Equal(t, []string{"EVAL", "  local x\n# no comment", "1", "", "<<C", seedMark + "x.lua"}, f.Steps[0].Args)
	require.Equal(t, []string{"x.lua"}, f.Seeds)
	require.Equal(t, 7, f.Steps[1].Line)
	args, err := withSeeds(f.Steps[0].Args, func(name string) (string, error) { return "text of " + name, nil })
	require.NoError(t, err)
	require.Equal(t, "text of x.lua", args[5])
	require.Equal(t, seedMark+"x.lua", f.Steps[0].Args[5])
}

func TestBadCaseFiles(t *testing.T) {
	for text, want := range map[string]string{
		"PING\n!nosuch":         ":2: unknown directive !nosuch",
		"PING\n!doors resp":     ":2: !doors stands before",
		"!doors tcp":            `:1: unknown door "tcp"`,
		"!resp 4":               ":1: !resp takes 2 or 3",
		"!session":              ":1: !session needs a name",
		"!frozen":               ":1: !frozen takes on or off",
		"!wait soon":            ":1: time: invalid duration",
		"!approx x":             ":1: strconv.ParseInt",
		"!raw x":                ":1: !raw needs !doors resp",
		"!loop 2\nPING":         ":1: !loop without !end",
		"!loop 2\n!bad\n!end":   ":2: unknown directive !bad",
		"PING\n\nEVAL <<X\na\n": ":3: no line X ends the text",
		"PING \"a":              ":1: unbalanced quotes",
	} {
		_, err := parseText(t, text)
		require.ErrorContains(t, err, want, text)
	}
}
