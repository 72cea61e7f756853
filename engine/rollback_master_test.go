package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// A replica must have what its master has: a script that the master sends is not undone, even if it
// fails.
func TestScriptsOfAMasterAreNotUndone(t *testing.T) {
	e, err := New(Options{OnScriptError: Rollback})
	require.NoError(t, err)
	defer e.Close()
	require.NoError(t, e.onLoop(func() {
		master := e.server.NewLoaderSession()
		master.Master = true
		v := e.server.Execute(master, cmdtable.DoorClient, []string{"EVAL", "redis.call('SET', 'a', 1) error('x')", "0"})
		require.True(t, v.IsError())
		v = e.server.Execute(e.shared, cmdtable.DoorClient, []string{"EVAL", "redis.call('SET', 'b', 1) error('x')", "0"})
		require.True(t, v.IsError())
	}))
	v, err := e.Do(t.Context(), "KEYS", "*")
	require.NoError(t, err)
	require.Equal(t, "1) \"a\"", v.String())
}
