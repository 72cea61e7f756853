package cmdrows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// each calls f for the rows of all commands that can run.
func each(f func(s *cmdtable.Spec)) {
	for _, s := range cmdrows.TableOf(cmdtable.Redis80).All {
		if s.HasHandler() {
			f(s)
		}
	}
}

func TestEveryRowSaysWhatItRepliesWith(t *testing.T) {
	each(func(s *cmdtable.Spec) {
		require.NotEmpty(t, s.Reply, s.FullName())
		require.NotPanics(t, func() { s.Replies() }, s.FullName())
	})
}
