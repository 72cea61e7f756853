package persist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/persist"
)

// An engine loads what it has written, whichever server it follows: from a dump, and from an
// append-only file with a base of RDB.
func TestEachServerLoadsItsFiles(t *testing.T) {
	for _, s := range servers.All() {
		for _, o := range []persist.Options{{}, {AppendOnly: true}} {
			o.Dir = t.TempDir()
			for _, want := range []string{"1", "2", "3"} {
				e, err := engine.New(engine.Options{Server: s.String(), Persistence: persist.New(o)})
				require.NoError(t, err, "%s, append-only %v", s, o.AppendOnly)
				require.Equal(t, want, do(t, e, "INCR n"))
				do(t, e, "SAVE")
				if want == "2" && o.AppendOnly {
					do(t, e, "BGREWRITEAOF")
				}
				require.NoError(t, e.Close())
			}
		}
	}
}
