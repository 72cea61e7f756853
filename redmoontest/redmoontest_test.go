package redmoontest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

func TestTheClockMovesOnlyWithAdvance(t *testing.T) {
	e := redmoontest.New(t)
	require.Equal(t, int64(redmoontest.Start), e.Now().Unix())
	e.Advance(90 * time.Second)
	require.Equal(t, int64(redmoontest.Start+90), e.Now().Unix())
}

func TestOptions(t *testing.T) {
	start := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	e := redmoontest.New(t, redmoontest.WithStart(start), redmoontest.WithSeed(7), redmoontest.WithDatabases(2),
		redmoontest.WithConfig("hash-max-listpack-entries", "3"))
	require.Equal(t, start, e.Now())
	sess, err := e.NewSession()
	require.NoError(t, err)
	_, err = sess.Do(context.Background(), "SELECT", 2)
	require.EqualError(t, err, "ERR DB index is out of range")
	require.Equal(t, []string{"hash-max-listpack-entries", "3"}, e.MustDo("CONFIG", "GET", "hash-max-listpack-entries").Strings())
}

func TestEngineIsClosedWhenTheTestEnds(t *testing.T) {
	var e *redmoontest.Engine
	t.Run("inner", func(t *testing.T) {
		e = redmoontest.New(t)
		e.MustDo("PING")
	})
	_, err := e.Do(context.Background(), "PING")
	require.ErrorIs(t, err, engine.ErrClosed)
}

func TestEngineMayBeClosedByTheTest(t *testing.T) {
	require.NoError(t, redmoontest.New(t).Close())
}

func TestAThousandParallelEngines(t *testing.T) {
	for i := range 1000 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			e := redmoontest.New(t)
			require.Equal(t, "PONG", e.MustDo("PING").Text())
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		e := redmoontest.New(b)
		e.MustDo("PING")
		_ = e.Close()
	}
}

func TestWithOneSlotHoldsScriptsToOneSlot(t *testing.T) {
	e := redmoontest.New(t, redmoontest.WithOneSlot())
	e.MustDo("MSET", "a", 1, "b", 2)
	_, err := e.Eval(context.Background(), "return redis.call('GET', KEYS[1])", []string{"a", "b"})
	require.ErrorContains(t, err, "CROSSSLOT")
	require.Equal(t, "1", e.MustEval("return redis.call('GET', KEYS[1])", []string{"a"}).Text())
}
