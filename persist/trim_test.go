package persist_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// What TRIMSLOTS has deleted stays deleted when the append-only file is loaded by a node that owns
// the slots again.
func TestTrimmedSlotsStayTrimmed(t *testing.T) {
	dir := t.TempDir()
	start := func() (do func(line string) string, end func()) {
		e, err := engine.New(engine.Options{Server: "redis-8.6", Cluster: true,
			Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true})})
		require.NoError(t, err)
		return func(line string) string {
			v, err := e.DoStrings(context.Background(), strings.Fields(line)...)
			require.NoError(t, err, line)
			return v.Text()
		}, func() { require.NoError(t, e.Close()) }
	}
	do, end := start()
	do("CONFIG SET cluster-require-full-coverage no")
	do("SET {b}1 1")
	do("SET a 1")
	do("CLUSTER DELSLOTS 3300")
	do("TRIMSLOTS RANGES 1 3300 3300")
	require.Equal(t, "1", do("DBSIZE"))
	end()
	do, end = start()
	require.Equal(t, "1", do("DBSIZE"))
	require.Equal(t, "1", do("GET a"))
	end()
}
