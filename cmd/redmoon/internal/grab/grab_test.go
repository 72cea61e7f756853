package grab_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/grab"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/stretchr/testify/require"
)

func run(t *testing.T, o grab.Options) (*redmoontest.Engine, *grab.Run) {
	t.Helper()
	e := redmoontest.New(t)
	o.Activity, o.Total, o.Workers = "test", 1_000_000, 20
	r, err := grab.New(e.Engine, o)
	require.NoError(t, err)
	require.NoError(t, r.Open(context.Background()))
	require.NoError(t, r.Grab(context.Background()))
	return e, r
}

// audit checks that exactly the findings with these names fail.
func audit(t *testing.T, r *grab.Run, bad ...string) {
	t.Helper()
	findings, err := r.Audit(context.Background(), true)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		if !f.OK {
			got = append(got, f.Name)
		}
	}
	require.Equal(t, bad, got, "%+v", findings)
	require.Equal(t, len(bad) == 0, grab.PrintAudit(&bytes.Buffer{}, findings))
}

func TestTenThousandPacketsPassTheAudit(t *testing.T) {
	_, r := run(t, grab.Options{Packets: 10_000})
	audit(t, r)
	rep := r.Report()
	require.Equal(t, int64(10_000), rep.Grabbed)
	require.Positive(t, rep.Refused)
	require.Positive(t, rep.Empty)
	begun, all := r.Progress()
	require.Equal(t, all, begun)
	require.Equal(t, int64(all), rep.Calls.TotalCount())
}

func TestTenThousandPacketsWithCancelledCalls(t *testing.T) {
	_, r := run(t, grab.Options{Packets: 10_000, Cancel: true})
	audit(t, r)
	require.Equal(t, int64(10_000), r.Report().Grabbed)
}

func TestTooFewUsersLeavePackets(t *testing.T) {
	_, r := run(t, grab.Options{Packets: 100, Users: 60})
	audit(t, r)
	require.Equal(t, int64(60), r.Report().Grabbed)
}

func TestSeveralActivitiesShareTheWork(t *testing.T) {
	for _, o := range []grab.Options{
		{Packets: 1000, Activities: 7}, {Packets: 100, Activities: 100}, {Packets: 100, Users: 61, Activities: 8,
			Strategy: redpacket.Equal}, {Packets: 10, Users: 1, Activities: 3},
	} {
		_, r := run(t, o)
		audit(t, r)
		require.Equal(t, int64(min(o.Packets, r.Options().Users)), r.Report().Grabbed)
		require.NoError(t, r.Expire(context.Background()))
		audit(t, r)
	}
}

func TestAuditFindsALostRefund(t *testing.T) {
	e, r := run(t, grab.Options{Packets: 50, Users: 20})
	require.NoError(t, r.Expire(context.Background()))
	audit(t, r)
	key := r.Keys()[0][4]
	e.MustDo("XDEL", key, e.MustDo("XREVRANGE", key, "+", "-", "COUNT", 1).Slice()[0].Slice()[0].Text())
	audit(t, r, "the rest went back")
}

func TestAuditFinds(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(e *redmoontest.Engine, keys []string) // keys: grabbed, packets, records
		bad   []string
	}{
		"a lost record": {
			func(e *redmoontest.Engine, keys []string) { e.MustDo("LPOP", keys[2]) },
			[]string{"no user twice", "the money adds up", "none is left", "every grab is to be settled", "users know what they have"},
		},
		"a record written twice": {
			func(e *redmoontest.Engine, keys []string) {
				e.MustDo("RPUSH", keys[2], e.MustDo("LINDEX", keys[2], 0).Text())
			},
			[]string{"no user twice", "no packet twice", "the money adds up", "none is left", "users know what they have"},
		},
		"a cent too much": {
			func(e *redmoontest.Engine, keys []string) {
				e.MustEval(`local r = cjson.decode(redis.call('lpop', KEYS[1])) r.amount = r.amount + 1
					return redis.call('lpush', KEYS[1], cjson.encode(r))`, keys[2:])
			},
			[]string{"no packet twice", "the money adds up", "every grab is to be settled", "users know what they have"},
		},
		"a packet put back": {
			func(e *redmoontest.Engine, keys []string) { e.MustDo("LPUSH", keys[1], "1 1 p1") },
			[]string{"the money adds up", "none is left"},
		},
		"a cent that the activity does not know of": {
			func(e *redmoontest.Engine, keys []string) { e.MustDo("HINCRBY", keys[3], "total", -1) },
			[]string{"the money adds up"},
		},
		"a message lost": {
			func(e *redmoontest.Engine, keys []string) { e.MustDo("XTRIM", keys[4], "MAXLEN", 49) },
			[]string{"every grab is to be settled"},
		},
		"a message sent twice": {
			func(e *redmoontest.Engine, keys []string) {
				e.MustEval(`local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1][2]
					return redis.call('XADD', KEYS[1], '*', unpack(first))`, keys[4:])
			},
			[]string{"every grab is to be settled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, r := run(t, grab.Options{Packets: 50})
			c.spoil(e, r.Keys()[0])
			audit(t, r, c.bad...)
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	e := redmoontest.New(t)
	for _, o := range []grab.Options{
		{Workers: 1, Total: 1, Activity: "a"},
		{Packets: 1, Total: 1, Activity: "a"},
		{Packets: 1, Workers: 1, Total: 1, Users: -1, Activity: "a"},
		{Packets: 2, Workers: 1, Total: 1, Activity: "a"},
		{Packets: 1, Workers: 1, Total: 1},
		{Packets: 1, Workers: 1, Total: 1, Activity: "a", Activities: -1},
		{Packets: 1, Workers: 1, Total: 1, Activity: "a", Activities: 2},
	} {
		_, err := grab.New(e.Engine, o)
		require.Error(t, err, "%+v", o)
	}
}

func TestGrabStopsWhenItsContextEnds(t *testing.T) {
	e := redmoontest.New(t)
	r, err := grab.New(e.Engine, grab.Options{Activity: "a", Packets: 10, Workers: 2, Total: 100})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.Grab(ctx), context.Canceled)
}

func TestGrabReturnsErrors(t *testing.T) {
	e := redmoontest.New(t)
	r, err := grab.New(e.Engine, grab.Options{Activity: "a", Packets: 10, Workers: 2, Total: 100})
	require.NoError(t, err)
	e.MustDo("SET", r.Keys()[0][0], "no hash")
	require.ErrorIs(t, r.Grab(context.Background()), engine.ErrWrongType)
}

// failing is a client one third of whose calls fails, before or after the command runs.
type failing struct {
	engine.Client
	calls atomic.Int64
}

func (f *failing) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	n := f.calls.Add(1)
	if n > 1 && n%6 == 0 {
		return engine.Value{}, &engine.Error{Code: "CLUSTERDOWN", Message: "The cluster is down"}
	}
	v, err := f.Client.RunScript(ctx, s, keys, args)
	if n > 1 && n%6 == 3 {
		return engine.Value{}, errors.New("connection reset by peer")
	}
	return v, err
}

func TestFailedCallsAreRepeated(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		ctx := context.Background()
		c := &failing{Client: redmoontest.New(t)}
		o := grab.Options{Activity: "a", Packets: 50, Workers: 8, Total: 10_000, Patience: time.Minute, Cancel: cancel}
		r, err := grab.New(c, o)
		require.NoError(t, err)
		require.NoError(t, r.Open(ctx))
		require.NoError(t, r.Grab(ctx))
		require.Positive(t, r.Report().Failed)
		c.calls.Store(-1_000_000)
		findings, err := r.Audit(ctx, false)
		require.NoError(t, err)
		require.True(t, grab.PrintAudit(&bytes.Buffer{}, findings), "%+v", findings)
	}
	r, err := grab.New(&failing{Client: redmoontest.New(t)}, grab.Options{Activity: "a", Packets: 50, Workers: 8, Total: 10_000})
	require.NoError(t, err)
	require.NoError(t, r.Open(context.Background()))
	require.Error(t, r.Grab(context.Background()), "nobody has patience")
}
