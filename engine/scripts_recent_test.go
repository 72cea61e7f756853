package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge"
)

func TestScriptsThatOnlyEvalHasCachedLeave(t *testing.T) {
	r := newRecentScripts(servers.Valkey81)
	all := make([]*luabridge.Script, maxRecent+2)
	for i := range all {
		all[i] = &luabridge.Script{}
	}
	for _, script := range all[:maxRecent] {
		require.Nil(t, r.add(script))
	}
	r.use(all[0])
	r.remove(all[1]) // SCRIPT LOAD
	require.Nil(t, r.add(all[maxRecent]))
	require.Same(t, all[2], r.add(all[maxRecent+1]))
	r.use(all[1])
	require.Equal(t, maxRecent, r.order.Len())

	r = newRecentScripts(servers.Redis70)
	for _, script := range all {
		require.Nil(t, r.add(script))
	}
	r.use(all[0])
	r.remove(all[0])
}
