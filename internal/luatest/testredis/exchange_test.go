package testredis

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// A command whose reply may differ from one server to the next, by the tips of its row, is in one
// of the lists.
func TestCommandsWhoseRepliesVaryAreListed(t *testing.T) {
	seen := 0
	for compat := range cmdtable.Releases {
		for _, spec := range cmdrows.TableOf(cmdtable.Compat(compat)).All {
			if !slices.ContainsFunc(spec.Tips, func(tip string) bool { return strings.HasPrefix(tip, "nondeterministic_output") }) {
				continue
			}
			seen++
			full := strings.ToUpper(strings.ReplaceAll(spec.FullName(), "|", " "))
			name, _, _ := strings.Cut(full, " ")
			require.True(t, unsafe[name] || unsafeBehind[full] || varying[name] || varyingBehind[full] || choosing[name], full)
		}
	}
	require.Greater(t, seen, 100)
}
