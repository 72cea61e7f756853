package persist_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
)

// TestCloseWhileLoading closes engines at any moment of the load, with calls that wait and without.
// Close always returns, and the file stays as it was.
func TestCloseWhileLoading(t *testing.T) {
	for _, keys := range []int{0, 10, 20_000} {
		for _, appendOnly := range []bool{false, true} {
			t.Run(fmt.Sprint(keys, " keys, append-only ", appendOnly), func(t *testing.T) {
				o := persist.Options{Dir: t.TempDir(), AppendOnly: appendOnly, Save: "3600 1"}
				e, err := engine.New(engine.Options{Persistence: persist.New(o)})
				require.NoError(t, err)
				s, err := e.NewSession()
				require.NoError(t, err)
				batch := &enginedoor.Batch{}
				for i := range keys {
					batch.Commands = append(batch.Commands, []string{"SET", fmt.Sprint("key:", i), "value"})
				}
				require.NoError(t, enginedoor.Of(s).RunBatch(context.Background(), batch))
				require.NoError(t, e.Close())
				dump := filepath.Join(o.Dir, "dump.rdb")
				before, err := os.ReadFile(dump)
				require.NoError(t, err)

				o.Background = true
				for i := range tier.Amount(20, 60) {
					e, err := engine.New(engine.Options{Persistence: persist.New(o)})
					require.NoError(t, err)
					called := make(chan error, 2)
					if i%2 == 1 {
						go func() { _, err := e.Do(context.Background(), "GET", "key:1"); called <- err }()
						go func() { called <- e.AwaitLoad(context.Background()) }()
					}
					for range i % 20 { // some time passes
						_, _ = e.Do(context.Background(), "INFO")
					}
					require.NoError(t, e.Close())
					require.NoError(t, e.Close())
					if i%2 == 1 {
						<-called
						<-called
					}
					after, err := os.ReadFile(dump)
					require.NoError(t, err)
					require.Equal(t, len(before), len(after), "the file has changed")
				}
				e, err = engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: o.Dir, AppendOnly: appendOnly})})
				require.NoError(t, err)
				defer e.Close()
				require.EqualValues(t, keys, mustInt(t, e, "DBSIZE"))
			})
		}
	}
}
