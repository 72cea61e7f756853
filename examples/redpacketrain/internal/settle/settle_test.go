package settle_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

func TestDecode(t *testing.T) {
	s, err := settle.Decode("a", "p1", []byte(`{"id":"p1","amount":7,"user":"ann"}`))
	require.NoError(t, err)
	require.Equal(t, ledger.Settlement{Key: "a/p1", Activity: "a", Kind: ledger.Grab, Packet: "p1", Account: "ann", Cents: 7}, s)
	s, err = settle.Decode("a", "refund:a", []byte(`{"id":"refund:a","amount":9,"user":"zoe","refund":true}`))
	require.NoError(t, err)
	require.Equal(t, ledger.Settlement{Key: "a/refund:a", Activity: "a", Kind: ledger.Refund, Packet: "refund:a", Account: "zoe", Cents: 9}, s)
	for _, payload := range []string{
		``, `7`, `{"id":"p1"`, `{"id":"p2","amount":7,"user":"ann"}`, `{"id":"p1","amount":0,"user":"ann"}`,
		`{"id":"p1","amount":-7,"user":"ann"}`,
		`{"id":"p1","amount":7.5,"user":"ann"}`, `{"id":"p1","amount":7}`, `{"id":"p1","amount":"7","user":"ann"}`,
		`{"id":"p1","amount":99999999999999999999,"user":"ann"}`,
	} {
		_, err := settle.Decode("a", "p1", []byte(payload))
		require.Error(t, err, payload)
	}
}

// consume settles what is on the stream of an activity until nothing is left but dead letters,
// which it returns.
func consume(t *testing.T, e engine.Client, l *ledger.Ledger) []delayqueue.DeadLetter {
	t.Helper()
	q, err := settle.Queue(e, "a", settle.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- settle.Run(ctx, e, l, []string{"a"}, "test", settle.Options{}) }()
	err = patience.Try(func() error {
		s, err := q.Status(ctx)
		if err == nil && s.Ready+s.InHand+s.Delayed > 0 {
			err = errors.New("there are messages left")
		}
		return err
	})
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, err)
	letters, err := q.DeadLetters(context.Background(), "", 100)
	require.NoError(t, err)
	return letters
}

// TestWhatCannotBeSettledKeepsNothingElseBack puts messages among the records that no ledger can
// take.
func TestWhatCannotBeSettledKeepsNothingElseBack(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	l, err := ledger.Open(ctx, filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	// An account that is full.
	_, err = l.Settle(ctx, []ledger.Settlement{{Key: "before", Activity: "b", Kind: ledger.Grab, Packet: "x", Account: "full",
		Cents: 1<<63 - 1}})
	require.NoError(t, err)

	a, err := redpacket.New(e, "a", redpacket.Options{Sender: "zoe"})
	require.NoError(t, err)
	require.NoError(t, a.Open(ctx, []redpacket.Packet{
		{ID: "p1", Amount: 10}, {ID: "p2", Amount: 20}, {ID: "p3", Amount: 30}, {ID: "p4", Amount: 40},
	}))
	grab := func(user string) {
		_, err := a.Grab(ctx, user)
		require.NoError(t, err)
	}
	grab("ann")
	e.MustDo("XADD", a.StreamKey(), "*", "id", "odd", "payload", "no record")
	grab("full")
	e.MustDo("XADD", a.StreamKey(), "*", "id", "p1", "payload", `{"id":"p1","amount":10,"user":"eve"}`) // the key of ann's
	e.MustDo("XADD", a.StreamKey(), "*", "id", "p1", "payload", `{"id":"p1","amount":10,"user":"ann"}`) // once more
	grab("bob")
	_, err = a.Expire(ctx)
	require.NoError(t, err)

	dead := map[string]string{}
	for _, letter := range consume(t, e, l) {
		dead[string(letter.Payload)] = letter.Reason
	}
	require.Len(t, dead, 3)
	require.Contains(t, dead["no record"], "not a record")
	require.Contains(t, dead[`{"id":"p2","amount":20,"user":"full"}`], "refused")
	require.Contains(t, dead[`{"id":"p1","amount":10,"user":"eve"}`], "another settlement")
	totals, err := l.Totals(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, map[ledger.Kind]ledger.Total{ledger.Grab: {Count: 2, Cents: 40}, ledger.Refund: {Count: 1, Cents: 40}}, totals)
	names, _, err := l.Unbalanced(ctx)
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestRunEndsWithTheEngine(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(context.Background(), filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.ErrorIs(t, settle.Run(context.Background(), e, l, []string{"a", "b"}, "test", settle.Options{Consumers: 2}), engine.ErrClosed)
	require.NoError(t, l.Close())
	require.ErrorIs(t, settle.Run(context.Background(), e, l, []string{"a{"}, "test", settle.Options{}), redpacket.ErrName)
}
