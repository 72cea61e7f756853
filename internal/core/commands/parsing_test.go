package commands

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestCommandsThatChangeParsing(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis70)
	for _, name := range []string{"config", "CONFIG", "ReSeT"} {
		require.True(t, table.ChangesParsing(name), name)
	}
	for _, s := range table.List() {
		if s.Name != "config" && s.Name != "reset" {
			require.False(t, table.ChangesParsing(s.Name), s.Name)
		}
	}
	require.False(t, table.ChangesParsing(""))
	require.False(t, table.ChangesParsing("configs"))
}
