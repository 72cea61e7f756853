package difftest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// notDrawn are the write commands that TestRandomEffects does not draw, and why.
var notDrawn = map[string]string{
	"restore-asking": "RESTORE in cluster mode, which the oracle of this test is not in",
}

// TestEffectCoverage checks that TestRandomEffects draws every command that writes or may be sent
// to replicas.
func TestEffectCoverage(t *testing.T) {
	visible := visibleCommands(t)
	var drawn []string
	for _, r := range slices.Concat(effectRows(rowsOf(visible, allGroups)), effectCommands()) {
		drawn = append(drawn, r.name)
	}
	var missing []string
	var check func(list []*cmdtable.Spec)
	check = func(list []*cmdtable.Spec) {
		for _, s := range list {
			name := s.FullName()
			if check(s.Subs); len(s.Subs) == 0 && s.Flags&(cmdtable.Write|cmdtable.MayReplicate) != 0 &&
				slices.Contains(drawn, name) == (notDrawn[name] != "") {
				missing = append(missing, name)
			}
		}
	}
	check(cmdrows.TableOf(servers.Redis70).List())
	require.Empty(t, missing, "neither drawn nor in notDrawn, or both")
}
