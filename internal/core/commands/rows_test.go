package commands

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestEveryRowIsDescribed(t *testing.T) {
	for _, s := range cmdrows.TableOf(servers.Redis70).All {
		name := s.FullName()
		require.NotEmpty(t, s.Summary, name)
		require.False(t, strings.HasSuffix(s.Summary, "."), "%s: a summary has no full stop", name)
		require.NotEmpty(t, s.Complexity, name)
		require.NotEmpty(t, s.Since, name)
		require.NotEmpty(t, s.Group, name)
		if s.Deprecated != "" {
			require.NotEmpty(t, s.ReplacedBy, name)
		}
	}
}
