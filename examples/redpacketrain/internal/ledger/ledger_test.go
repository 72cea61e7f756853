package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/pgtest"
)

// onBoth runs a test on SQLite and on PostgreSQL. open opens the same database each time.
func onBoth(t *testing.T, f func(t *testing.T, open func() *ledger.Ledger)) {
	opener := func(t *testing.T, dsn string) func() *ledger.Ledger {
		return func() *ledger.Ledger {
			l, err := ledger.Open(context.Background(), dsn)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, l.Close()) })
			return l
		}
	}
	t.Run("SQLite", func(t *testing.T) { f(t, opener(t, filepath.Join(t.TempDir(), "a ?b#c%20.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, opener(t, pgtest.Database(t))) })
}

func grab(key, user string, cents int64) ledger.Settlement {
	return ledger.Settlement{Key: key, Activity: "a", Kind: ledger.Grab, Packet: "p" + key, Account: user, Cents: cents}
}

// requireBalanced checks the balances of the database and that there are so many accounts.
func requireBalanced(t *testing.T, l *ledger.Ledger, accounts int) {
	t.Helper()
	names, n, err := l.Unbalanced(context.Background())
	require.NoError(t, err)
	require.Empty(t, names)
	require.EqualValues(t, accounts, n)
}

func TestABatchIsSettledOnce(t *testing.T) {
	ctx := context.Background()
	onBoth(t, func(t *testing.T, open func() *ledger.Ledger) {
		l := open()
		refund := ledger.Settlement{Key: "r", Activity: "a", Kind: ledger.Refund, Packet: "r", Account: "sender", Cents: 7}
		first := []ledger.Settlement{grab("2", "bob", 20), grab("1", "ann", 10), grab("1", "ann", 10), refund}
		got, err := l.Settle(ctx, first)
		require.NoError(t, err)
		require.Equal(t, []ledger.Outcome{ledger.Settled, ledger.Settled, ledger.Again, ledger.Settled}, got)

		got, err = open().Settle(ctx, append([]ledger.Settlement{grab("3", "ann", 5), grab("2", "eve", 20)}, first...))
		require.NoError(t, err)
		require.Equal(t, []ledger.Outcome{ledger.Settled, ledger.Conflict, ledger.Again, ledger.Again, ledger.Again, ledger.Again}, got)

		totals, err := l.Totals(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, map[ledger.Kind]ledger.Total{ledger.Grab: {Count: 3, Cents: 35}, ledger.Refund: {Count: 1, Cents: 7}}, totals)
		stored := map[string]ledger.Settlement{}
		require.NoError(t, l.Each(ctx, "a", func(s ledger.Settlement) error { stored[s.Key] = s; return nil }))
		require.Equal(t, map[string]ledger.Settlement{"1": grab("1", "ann", 10), "2": grab("2", "bob", 20), "3": grab("3", "ann", 5),
			"r": refund}, stored)
		requireBalanced(t, l, 3)

		none, err := l.Totals(ctx, "other")
		require.NoError(t, err)
		require.Empty(t, none)
		got, err = l.Settle(ctx, nil)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}

func TestTextsComeBackAsTheyWere(t *testing.T) {
	ctx := context.Background()
	onBoth(t, func(t *testing.T, open func() *ledger.Ledger) {
		l := open()
		s := grab("k'\"\\\n<>&☂", "ann 🧧 '; DROP TABLE accounts; --", 1<<62)
		got, err := l.Settle(ctx, []ledger.Settlement{s})
		require.NoError(t, err)
		require.Equal(t, []ledger.Outcome{ledger.Settled}, got)
		got, err = l.Settle(ctx, []ledger.Settlement{s})
		require.NoError(t, err)
		require.Equal(t, []ledger.Outcome{ledger.Again}, got)
		requireBalanced(t, l, 1)
	})
}

func TestWhatIsRefusedChangesNothing(t *testing.T) {
	ctx := context.Background()
	onBoth(t, func(t *testing.T, open func() *ledger.Ledger) {
		l := open()
		good := grab("1", "ann", 10)
		for _, change := range []func(*ledger.Settlement){
			func(s *ledger.Settlement) { s.Key = "" },
			func(s *ledger.Settlement) { s.Activity = "" },
			func(s *ledger.Settlement) { s.Account = "" },
			func(s *ledger.Settlement) { s.Kind = "gift" },
			func(s *ledger.Settlement) { s.Cents = 0 },
			func(s *ledger.Settlement) { s.Cents = -1 },
		} {
			bad := grab("2", "bob", 10)
			change(&bad)
			_, err := l.Settle(ctx, []ledger.Settlement{good, bad})
			require.ErrorIs(t, err, ledger.ErrInvalid)
		}
		// The balance would overflow: the database refuses the whole batch.
		_, err := l.Settle(ctx, []ledger.Settlement{grab("3", "max", 1<<63-1)})
		require.NoError(t, err)
		_, err = l.Settle(ctx, []ledger.Settlement{good, grab("4", "max", 1<<63-1)})
		require.ErrorIs(t, err, ledger.ErrRefused)
		requireBalanced(t, l, 1)
		totals, err := l.Totals(ctx, "a")
		require.NoError(t, err)
		require.EqualValues(t, 1, totals[ledger.Grab].Count)

		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err = l.Settle(ended, []ledger.Settlement{good})
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, ledger.ErrRefused)
	})
}

// TestManySettleTheSame lets four settle overlapping batches at the same time: each key is settled
// by one of them.
func TestManySettleTheSame(t *testing.T) {
	ctx := context.Background()
	onBoth(t, func(t *testing.T, open func() *ledger.Ledger) {
		const keys, settlers, rounds = 300, 4, 20
		settled := make([]map[string]int, settlers)
		var wg sync.WaitGroup
		for n := range settlers {
			l := open()
			settled[n] = map[string]int{}
			r := rand.New(rand.NewPCG(1, uint64(n)))
			wg.Go(func() {
				for range rounds {
					var batch []ledger.Settlement
					for range 60 {
						k := r.IntN(keys)
						batch = append(batch, grab(fmt.Sprint(k), fmt.Sprint("u", k%7), int64(k+1)))
					}
					got, err := l.Settle(ctx, batch)
					if err != nil {
						t.Error(err)
						return
					}
					for i, o := range got {
						if o == ledger.Settled {
							settled[n][batch[i].Key]++
						} else if o != ledger.Again {
							t.Error(batch[i], o)
						}
					}
				}
			})
		}
		wg.Wait()
		all := map[string]int{}
		for _, m := range settled {
			for key, n := range m {
				all[key] += n
			}
		}
		stored := map[string]int{}
		l := open()
		require.NoError(t, l.Each(ctx, "a", func(s ledger.Settlement) error { stored[s.Key]++; return nil }))
		require.Equal(t, stored, all)
		for key, n := range all {
			require.Equal(t, 1, n, key)
		}
		requireBalanced(t, l, 7)
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, dsn := range []string{"mysql://localhost/x", filepath.Join(t.TempDir(), "no", "such", "folder.db"),
		"postgres://127.0.0.1:1/x?connect_timeout=1"} {
		_, err := ledger.Open(context.Background(), dsn)
		require.Error(t, err, dsn)
	}
}

func TestTheNameHidesThePassword(t *testing.T) {
	l, err := ledger.Open(context.Background(), pgtest.Database(t)+"&password=secret")
	require.NoError(t, err)
	require.NotContains(t, l.Name(), "secret")
	require.NoError(t, l.Close())
}

func TestOutcomesHaveNames(t *testing.T) {
	require.Equal(t, "settled again conflict Outcome(9)", fmt.Sprint(ledger.Settled, ledger.Again, ledger.Conflict, ledger.Outcome(9)))
}
