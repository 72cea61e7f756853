package rain_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/rain"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
)

func openLedger(t testing.TB, dsn string) *ledger.Ledger {
	l, err := ledger.Open(context.Background(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func sqliteFile(t testing.TB) string { return filepath.Join(t.TempDir(), "rain.db") }

// lines are the findings as they are printed.
func lines(report rain.Report) string {
	var b strings.Builder
	for _, f := range report.Findings {
		b.WriteString(f.Name + ": " + f.Detail + "\n")
		if !f.OK {
			b.WriteString("FAILED\n")
		}
	}
	return b.String()
}

// TestTheAuditIsTheSameEverywhere runs the whole rain on the engine, on redis-server and on a Redis
// Cluster of three masters.
func TestTheAuditIsTheSameEverywhere(t *testing.T) {
	const want = `no user twice: 1,900 users in 1,900 records
no packet twice: 1,900 packets in 1,900 records, 0 not as prepared
users know what they have: 1,900 returned, 0 of another packet, 0 not returned
every grab is settled exactly once: 1,900 settlements of 1,900 grabs, 0 missing, 0 twice, 0 unfounded
same user, packet and cents: 0 settlements differ from their records
what is left is refunded once: 3 refunds of 3 due, `
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		o := rain.Options{
			Client: p.Client, On: "a test", Ledger: openLedger(t, sqliteFile(t)), Name: "rain", Activities: 3, Packets: 2000, Users: 1900,
			Total: 123_456,
		}
		var stages []string
		o.Watch = func(s page.State) {
			if len(stages) == 0 || stages[len(stages)-1] != s.Stage {
				stages = append(stages, s.Stage)
			}
		}
		r, err := rain.New(o)
		require.NoError(t, err)
		report, err := r.Run(context.Background())
		require.NoError(t, err)
		require.True(t, report.OK(), lines(report))
		require.True(t, strings.HasPrefix(lines(report), want), lines(report))
		require.Equal(t, []string{page.Prepare, page.Grab, page.Settle, page.Audit, page.Done}, stages)
		require.NoError(t, r.Clean(context.Background()))
		if p.Redis == nil {
			require.Zero(t, p.Do(t, "DBSIZE").MustInt())
		}
	})
}
