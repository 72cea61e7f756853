package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCoverage compares COMMAND INFO of every command and subcommand of the oracle with ours:
// arity, flags, first and last key and step, ACL categories, tips, key-specs and the names of
// subcommands. Each side has all commands of the other.
func TestCoverage(t *testing.T) {
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
	ask(t, ours, "HELLO", "3")
	ask(t, theirs, "HELLO", "3")
	names := ask(t, theirs, "COMMAND", "LIST", "FILTERBY", "PATTERN", "*").kids
	require.Greater(t, len(names), 300)
	for _, name := range names {
		mine := ask(t, ours, "COMMAND", "INFO", name.text).kids[0]
		if len(mine.kids) == 0 {
			t.Errorf("%s is absent", name.text)
			continue
		}
		require.Equal(t, infoLine(ask(t, theirs, "COMMAND", "INFO", name.text).kids[0]), infoLine(mine), name.text)
	}
	for _, name := range ask(t, ours, "COMMAND", "LIST", "FILTERBY", "PATTERN", "*").kids {
		known := slices.ContainsFunc(names, func(n node) bool { return n.text == name.text })
		require.True(t, known, "%s is no command of the oracle", name.text)
	}
}

// infoLine writes an element of COMMAND INFO. It sorts parts that have no order in Redis, and
// writes only the names of subcommands.
func infoLine(n node) string {
	var b strings.Builder
	for i, part := range n.kids[:9] {
		var items []string
		for _, kid := range part.kids {
			var item strings.Builder
			plain(&item, kid, 0)
			items = append(items, item.String())
		}
		if i != 8 { // key-specs are numbered
			slices.Sort(items)
		}
		fmt.Fprintf(&b, "%c %s %q\n", part.mark, part.text, items)
	}
	var subs []string
	for _, sub := range n.kids[9].kids {
		subs = append(subs, sub.kids[0].text)
	}
	slices.Sort(subs)
	fmt.Fprintf(&b, "%q\n", subs)
	return b.String()
}
