package rain_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/crew"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/pgtest"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/rain"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/target"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func TestMain(m *testing.M) {
	if crew.IsChild() {
		os.Exit(crew.Child())
	}
	os.Exit(m.Run())
}

// TestKilledConsumersSettleExactlyOnce kills the consumer processes, as kill -9 does, at a hundred
// random moments while users grab. The users come with the kills, so that there is always something
// to settle.
func TestKilledConsumersSettleExactlyOnce(t *testing.T) {
	t.Run("redis-server and SQLite", func(t *testing.T) {
		redistest.Need(t)
		s, err := redistest.Start()
		require.NoError(t, err)
		t.Cleanup(s.Stop)
		on, err := target.Open(context.Background(), "redis://"+s.Addr, 20)
		require.NoError(t, err)
		killed(t, on, memoryFile(t), 100)
	})
	t.Run("the engine and SQLite", func(t *testing.T) {
		on, err := target.Served("")
		require.NoError(t, err)
		killed(t, on, memoryFile(t), 25)
	})
	t.Run("the engine and PostgreSQL", func(t *testing.T) {
		dsn := pgtest.Database(t)
		on, err := target.Served("")
		require.NoError(t, err)
		killed(t, on, dsn, 25)
	})
}

// killed is one run in which so many processes are killed.
func killed(t *testing.T, on *target.Target, dsn string, kills int) {
	t.Cleanup(func() { require.NoError(t, on.Close()) })
	const latest = 400 * time.Millisecond // where there are not so many batches
	seed := uint64(1)
	if text := os.Getenv("REDMOON_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		seed = n
	}
	c := &crew.Crew{
		Config: crew.Config{Target: on.URL, Ledger: dsn, Consumers: 1, Batch: 20, Visibility: 100 * time.Millisecond},
		Size:   2, Kills: kills, Stderr: t.Output(),
		Fate: func(n int) (*crew.Death, time.Duration) {
			rnd := rand.New(rand.NewPCG(seed, uint64(n)))
			switch {
			case n == 0: // it is sure to settle something, however slow the machine is
				return &crew.Death{At: settle.Settled, Batch: 1}, patience.Limit
			case n%3 == 0: // what is settled is not committed on the queue
				return &crew.Death{At: settle.Settled, Batch: 1 + rnd.IntN(3)}, latest
			case n%3 == 1: // what is in hand is not settled
				return &crew.Death{At: settle.Taken, Batch: 1 + rnd.IntN(3)}, latest
			}
			return nil, time.Duration(rnd.Int64N(int64(150 * time.Millisecond))) // at any moment, of its start too
		},
	}
	packets := 40 * kills
	r, err := rain.New(rain.Options{
		Client: on, On: on.Name, Ledger: openLedger(t, dsn), Name: "killed", Packets: packets, Users: packets * 95 / 100, Total: 1_000_000,
		Workers: 10,
		Settle:  settle.Options{Visibility: c.Config.Visibility}, Consume: c.Run, Kills: c.Killed,
		Admit: func(ctx context.Context, i, all int) error {
			return c.AwaitKills(ctx, int64(min(kills, i*kills/(all*9/10)))) // the last users come after the last kill
		},
	})
	require.NoError(t, err)
	report, err := r.Run(context.Background())
	require.NoError(t, err)
	require.True(t, report.OK(), lines(report))
	require.EqualValues(t, packets*95/100, report.Settled["grab"].Count)
	require.EqualValues(t, kills, c.Killed())
	require.Positive(t, c.Again(), "no process died between the transaction and the commit on the queue")
	t.Logf("%d kills, %d settlements asked for again", c.Killed(), c.Again())
}

// memoryFile is a file that needs no disk where there is such: it is processes that die here, not
// the machine.
func memoryFile(t *testing.T) string {
	folder, err := os.MkdirTemp("/dev/shm", "rain")
	if err != nil {
		return sqliteFile(t)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return filepath.Join(folder, "rain.db")
}
