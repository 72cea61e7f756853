package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// follower returns a session of an engine that follows a server, on a virtual clock.
func follower(t *testing.T, o engine.Options) (do func(line string) reply.Value, clock *engine.VirtualClock) {
	t.Helper()
	clock = engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	o.Clock = clock
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	sess, err := e.NewSession()
	require.NoError(t, err)
	return func(line string) reply.Value {
		v, err := sess.DoStrings(context.Background(), strings.Fields(line)...)
		require.NoError(t, err, line)
		return v
	}, clock
}
