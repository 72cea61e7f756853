package lint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// newLinter returns a linter for a version of Redis.
func newLinter(t testing.TB, redis string, servers ...string) *lint.Linter {
	l, err := lint.New(lint.Config{Redis: redis, Servers: servers})
	require.NoError(t, err)
	return l
}

// found returns the IDs of the rules that an example breaks.
func found(t *testing.T, e lint.Example) []string {
	scripts := []lint.Script{{Source: e.Script}}
	if e.Beside != "" {
		scripts = append(scripts, lint.Script{Source: e.Beside})
	}
	var ids []string
	for _, list := range newLinter(t, e.Redis, e.Servers...).LintFolder(scripts) {
		for _, f := range list {
			ids = append(ids, f.Rule)
		}
	}
	return ids
}

func TestEachRuleFindsItsBadExampleAndNotItsGoodOne(t *testing.T) {
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			require.Equal(t, []string{r.ID}, found(t, r.Bad), r.Bad.Script)
			require.Empty(t, found(t, r.Good), r.Good.Script)
		})
	}
}

func TestEveryRuleIsDescribed(t *testing.T) {
	for _, r := range lint.Rules() {
		require.NotEmpty(t, r.Summary, r.ID)
		require.True(t, strings.HasSuffix(r.Why, "."), r.ID)
		require.NotEqual(t, lint.Off, r.Severity, r.ID)
		require.Same(t, r, lint.Find(r.ID))
	}
}
