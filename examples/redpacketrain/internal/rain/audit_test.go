package rain

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// TestTheAuditFindsWhatIsWrong does damage to either side after a run that went well: each must be
// found by the findings that are about it.
func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	const settled, same, refund, money, balances, waits = "every grab is settled exactly once", "same user, packet and cents",
		"what is left is refunded once", "the money adds up", "balances are sums of settlements", "nothing waits"
	const users, packets, know = "no user twice", "no packet twice", "users know what they have"
	type place struct {
		*redmoontest.Engine
		run *Run
		db  *sql.DB
	}
	statement := func(text string) func(*testing.T, place) {
		return func(t *testing.T, p place) {
			result, err := p.db.Exec(text)
			require.NoError(t, err)
			n, err := result.RowsAffected()
			require.NoError(t, err)
			require.Positive(t, n)
		}
	}
	record := func(n int, text string) func(*testing.T, place) {
		return func(_ *testing.T, p place) { p.MustDo("LSET", p.run.activities[0].Keys()[2], n, text) }
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, place)
		found  []string
	}{
		"nothing":                 {func(*testing.T, place) {}, nil},
		"a settlement is missing": {statement(`DELETE FROM settlements WHERE packet = 'p7'`), []string{settled, money, balances}},
		"a grab is settled twice": {statement(`INSERT INTO settlements SELECT 'again', activity, kind, packet, account, cents, settled_at ` +
			`FROM settlements WHERE packet = 'p7'`), []string{settled, money, balances}},
		"another user is paid":   {statement(`UPDATE settlements SET account = 'eve' WHERE packet = 'p7'`), []string{same, balances}},
		"another packet is paid": {statement(`UPDATE settlements SET packet = 'p8' WHERE packet = 'p7'`), []string{settled, same}},
		"a cent too much": {statement(`UPDATE settlements SET cents = cents + 1 WHERE packet = 'p7'`),
			[]string{same, money, balances}},
		"a cent on an account":       {statement(`UPDATE accounts SET balance = balance + 1 WHERE name = 'u3'`), []string{balances}},
		"an account is gone":         {statement(`DELETE FROM accounts WHERE name = 'u3'`), []string{balances}},
		"an account out of thin air": {statement(`INSERT INTO accounts VALUES ('eve', 0)`), []string{balances}},
		"the refund is missing":      {statement(`DELETE FROM settlements WHERE kind = 'refund'`), []string{refund, money, balances}},
		"the refund is stolen":       {statement(`UPDATE settlements SET account = 'eve' WHERE kind = 'refund'`), []string{same, balances}},
		"a message waits": {func(_ *testing.T, p place) { p.MustDo("XADD", p.run.queues[0].StreamKey(), "*", "id", "x") },
			[]string{waits}},
		"a dead letter": {func(_ *testing.T, p place) { p.MustDo("XADD", p.run.queues[0].Keys()[3], "*", "reason", "x") },
			[]string{waits}},
		"a record of another user": {record(7, `{"id":"p7","amount":999,"user":"eve"}`), []string{packets, know, same, money}},
		"a record twice": {func(_ *testing.T, p place) {
			key := p.run.activities[0].Keys()[2]
			p.MustDo("RPUSH", key, p.MustDo("LINDEX", key, 0).Text())
		}, []string{users, packets, settled, money}},
		"a user was returned another packet": {func(_ *testing.T, p place) {
			p.run.crowd.returned[0]["u3"] = redpacket.Packet{ID: "p99",
				Amount: 1}
		},
			[]string{know}},
		"a user was returned nothing": {func(_ *testing.T, p place) { delete(p.run.crowd.returned[0], "u3") }, []string{know}},
		"a user got nothing":          {func(_ *testing.T, p place) { p.run.crowd.returned[0]["eve"] = redpacket.Packet{} }, []string{know}},
		"a user got two packets": {func(_ *testing.T, p place) {
			p.run.crowd.remember([][]answer{{{"u3", p.run.crowd.returned[0]["u3"]}, {"u3", redpacket.Packet{ID: "x"}},
				{"u3", p.run.crowd.returned[0]["u3"]}}})
		}, []string{know}},
	} {
		t.Run(name, func(t *testing.T) {
			e, file := redmoontest.New(t), filepath.Join(t.TempDir(), "x.db")
			l, err := ledger.Open(ctx, file)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, l.Close()) })
			r, err := New(Options{Client: e, Ledger: l, Name: "damaged", Packets: 100, Users: 90, Total: 1000, Workers: 1,
				Rand: rand.New(rand.NewPCG(1, 1))}) // so that no damage is what was there before
			require.NoError(t, err)
			report, err := r.Run(ctx)
			require.NoError(t, err)
			require.True(t, report.OK())

			db, err := sql.Open("sqlite", file)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			c.damage(t, place{e, r, db})
			require.NoError(t, r.audit(ctx))
			var found []string
			for _, f := range r.report.Findings {
				if !f.OK {
					found = append(found, f.Name)
				}
			}
			require.ElementsMatch(t, c.found, found, fmt.Sprint(r.report.Findings))
			require.Equal(t, len(c.found) == 0, r.report.OK())
		})
	}
}
