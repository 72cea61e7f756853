package replay

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// docs/record.md lists the commands of a rule.
func TestDocumentListsTheRules(t *testing.T) {
	text, err := os.ReadFile("../../../docs/record.md")
	require.NoError(t, err)
	table := cmdrows.TableOf(servers.Redis70)
	var names func(list []*cmdtable.Spec, before []string, has func(facts) bool) []string
	names = func(list []*cmdtable.Spec, before []string, has func(facts) bool) (found []string) {
		for _, s := range list {
			words := append(slices.Clone(before), s.Name)
			if len(s.Subs) > 0 {
				found = append(found, names(s.Subs, words, has)...)
			} else if has(factsOf(table, words)) {
				found = append(found, strings.ToUpper(strings.Join(words, " ")))
			}
		}
		return found
	}
	for rule, has := range map[string]func(facts) bool{
		"order":    func(f facts) bool { return f.order },
		"chance":   func(f facts) bool { return f.chance },
		"withheld": func(f facts) bool { return f.withheld },
	} {
		row := regexp.MustCompile(`(?m)^\| ` + rule + `: [^|]*\|(.*)\|$`).FindStringSubmatch(string(text))
		require.NotNil(t, row, rule)
		var documented []string
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, m[1])
		}
		require.ElementsMatch(t, names(table.List(), nil, has), documented, rule)
	}
}
