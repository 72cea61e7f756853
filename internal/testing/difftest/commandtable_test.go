package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// The sentences in our rows are our own; these fields hold sentences.
var ownWords = map[string]bool{"summary": true, "complexity": true, "history": true, "replaced_by": true, "notes": true,
	"subcommands": true}

// plain writes a reply as indented text, the fields of ownWords left out.
func plain(b *strings.Builder, n node, depth int) {
	fmt.Fprintf(b, "%*s%c %s\n", depth, "", n.mark, n.text)
	for i := 0; i < len(n.kids); i++ {
		if n.mark == '%' && i%2 == 0 && ownWords[n.kids[i].text] {
			i++
			continue
		}
		plain(b, n.kids[i], depth+1)
	}
}

func ask(t *testing.T, c Conn, args ...string) node {
	t.Helper()
	raw, err := c.Do(args)
	require.NoError(t, err)
	n, _, err := parseFrame(raw)
	require.NoError(t, err)
	return n
}

// TestCommandTable compares what COMMAND INFO and DOCS derive from the rows with the oracle,
// command by command.
func TestCommandTable(t *testing.T) {
	needsOracle(t)
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	names := commandNames(t, rm)
	require.NotEmpty(t, names)
	compareRows(t, rm, theRunner.Oracle, names)
}

// TestCommandTableOfLaterRedis does the same for the additions of a later version.
func TestCommandTableOfLaterRedis(t *testing.T) {
	needsLater(t)
	old, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer old.Stop()
	rm, err := newRedmoonOf("8.0", Present())
	require.NoError(t, err)
	defer rm.Stop()
	before := commandNames(t, old)
	names := slices.DeleteFunc(commandNames(t, rm), func(name string) bool { return slices.Contains(before, name) })
	require.NotEmpty(t, names)
	compareRows(t, rm, theRunner.Later, append(names, changedLater...))
}

// TestCommandTableOnServers does the same for all commands and subcommands of every server.
func TestCommandTableOnServers(t *testing.T) {
	tier.Nightly(t)
	eachServer(t, func(t *testing.T, s servers.Server, rm *Redmoon, o *Oracle) {
		names := slices.DeleteFunc(commandNames(t, rm), func(name string) bool {
			// Redict has MAXAGE and NOVALUES, which Redis 7.2 has not
			return s == servers.Redis72 && (name == "client|kill" || name == "hscan")
		})
		compareRows(t, rm, o, names)
	})
}

// changedLater are the older commands that take more in later Redis.
var changedLater = []string{"hscan", "zrank", "zrevrank"}

func commandNames(t *testing.T, rm *Redmoon) (names []string) {
	c, err := rm.Open()
	require.NoError(t, err)
	defer c.Close()
	for _, n := range ask(t, c, "COMMAND", "LIST", "FILTERBY", "PATTERN", "*").kids {
		names = append(names, n.text)
	}
	return names
}

// compareRows compares what both sides report about commands.
func compareRows(t *testing.T, rm *Redmoon, o *Oracle, names []string) {
	theirs, err := o.Open()
	require.NoError(t, err)
	defer theirs.Close()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	ask(t, ours, "HELLO", "3")
	ask(t, theirs, "HELLO", "3")
	for _, name := range names {
		for _, what := range []string{"INFO", "DOCS"} {
			t.Run(what+" "+name, func(t *testing.T) {
				var got, want strings.Builder
				for c, b := range map[Conn]*strings.Builder{ours: &got, theirs: &want} {
					n := ask(t, c, "COMMAND", what, name)
					if what == "INFO" && len(n.kids) == 1 && len(n.kids[0].kids) == 10 {
						n.kids[0].kids[9].kids = nil // subcommands are compared under their own names
					}
					plain(b, n, 0)
				}
				require.Equal(t, want.String(), got.String())
			})
		}
	}
}

// TestClientInfoFields compares the fields of CLIENT INFO, in order, with the oracle's.
func TestClientInfoFields(t *testing.T) {
	needsOracle(t)
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	fields := func(c Conn) (names []string, values map[string]string) {
		_, err := c.Do([]string{"CLIENT", "SETNAME", "me"})
		require.NoError(t, err)
		values = map[string]string{}
		for _, f := range strings.Fields(ask(t, c, "CLIENT", "INFO").text) {
			name, value, _ := strings.Cut(f, "=")
			names, values[name] = append(names, name), value
		}
		return names, values
	}
	wantNames, want := fields(theirs)
	gotNames, got := fields(ours)
	require.Equal(t, wantNames, gotNames)
	for _, name := range []string{"name", "flags", "db", "sub", "psub", "ssub", "multi", "events", "cmd", "user", "redir", "resp"} {
		require.Equal(t, want[name], got[name], name)
	}
}

// needsOracle skips a test that has no goldens where there is no oracle; in CI there must be one.
func needsOracle(t *testing.T) {
	t.Helper()
	if theRunner.Mode == Live {
		return
	}
	if inCI() {
		t.Fatal("needs redis-server " + OracleVersion)
	}
	t.Skip("needs redis-server " + OracleVersion)
}
