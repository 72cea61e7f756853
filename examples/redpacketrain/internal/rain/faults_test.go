package rain_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/rain"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

var errLost = errors.New("the connection is lost")

// flaky loses one script in ten on its way there, and the answer to one in ten on its way back.
type flaky struct {
	engine.Client
	only *engine.Script // nil: all scripts
	mu   sync.Mutex
	rnd  *rand.Rand
}

func (f *flaky) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	f.mu.Lock()
	n := f.rnd.IntN(10)
	f.mu.Unlock()
	if f.only != nil && s.SHA() != f.only.SHA() {
		n = -1
	}
	if n == 0 {
		return engine.Value{}, errLost
	}
	v, err := f.Client.RunScript(ctx, s, keys, args)
	if n == 1 {
		return engine.Value{}, errLost
	}
	return v, err
}

// TestLostCallsAndAnswers lets calls fail, of the workers and of the consumers, so that it is not
// known whether they were carried out.
func TestLostCallsAndAnswers(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for seed := range uint64(3) {
		l := openLedger(t, sqliteFile(t))
		grabs := &flaky{Client: e, only: redpacket.GrabScript(), rnd: rand.New(rand.NewPCG(seed, 0))}
		all := &flaky{Client: e, rnd: rand.New(rand.NewPCG(seed, 1))}
		r, err := rain.New(rain.Options{
			Client: grabs, Ledger: l, Name: "flaky", Packets: 300, Users: 310, Total: 30_000, Workers: 8,
			Consume: func(ctx context.Context, activities []string) error {
				return settle.Run(ctx, all, l, activities, "consumer", settle.Options{Batch: 10, Visibility: 200 * time.Millisecond})
			},
		})
		require.NoError(t, err)
		report, err := r.Run(context.Background())
		require.NoError(t, err)
		require.True(t, report.OK(), lines(report))
		require.Positive(t, report.Calls.Errors)
		require.EqualValues(t, 300, report.Settled["grab"].Count)
		require.NoError(t, r.Clean(context.Background()))
	}
}
