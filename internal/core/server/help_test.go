package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestLinesOfHelpHaveRanges(t *testing.T) {
	for line, has := range map[string]map[servers.Server]bool{
		"GET <key>":          {servers.Redis70: true, servers.Valkey91: true},
		"{7.2.0}x":           {servers.Redis70: false, servers.Redis72: true, servers.Valkey72: true},
		"{|-/8.0.0}x":        {servers.Redis70: true, servers.Redis86: true, servers.Valkey72: true, servers.Valkey80: false},
		"{7.2.0|-/8.0.0}x":   {servers.Redis70: false, servers.Redis86: true, servers.Valkey80: false},
		"{-/8.1.0|-/9.0.0}x": {servers.Redis86: false, servers.Valkey80: false, servers.Valkey81: true, servers.Valkey90: false},
	} {
		l := parseHelpLine(line)
		for s, want := range has {
			require.Equal(t, want, l.servers.has(s), "%s %s", line, s)
		}
		require.NotContains(t, l.text, "{")
	}
}

func TestRulesOfFieldsNameSomeServer(t *testing.T) {
	for name, rule := range infoFields {
		have := 0
		for _, s := range servers.All() {
			if rule.has(s) {
				have++
			}
		}
		require.Positive(t, have, name)
		require.Less(t, have, len(servers.All()), name)
	}
}
