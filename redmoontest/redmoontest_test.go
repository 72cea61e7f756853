package redmoontest_test

import (
	"context"
	"fmt"
	"strings"
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

func TestWithStrictKeysRefusesUndeclaredKeys(t *testing.T) {
	e := redmoontest.New(t, redmoontest.WithStrictKeys())
	_, err := e.Eval(context.Background(), "return redis.call('INCR', KEYS[1] .. ':n')", []string{"a"})
	require.ErrorContains(t, err, `the key "a:n", which is not in KEYS`)
	require.EqualValues(t, 1, e.MustEval("return redis.call('INCR', KEYS[1])", []string{"a:n"}).MustInt())
}

// A time by the real clock is nothing to an engine whose clock stands in 2024: the log says so
// once.
func TestTimesByTheRealClock(t *testing.T) {
	log := func(start time.Time, args ...any) string {
		r := &loggingT{TB: t}
		e := redmoontest.New(r, redmoontest.WithStart(start))
		for range 2 {
			_, err := e.Do(context.Background(), args...)
			require.NoError(t, err)
		}
		return strings.Join(r.lines, "\n")
	}
	then, soon := time.Unix(redmoontest.Start, 0), time.Now().Add(time.Minute)
	for _, args := range [][]any{
		{"EXPIREAT", "k", soon.Unix()}, {"PEXPIREAT", "k", soon.UnixMilli()}, {"SET", "k", "v", "NX", "EXAT", soon.Unix()},
		{"SET", "k", "v", "PXAT", soon.UnixMilli()}, {"GETEX", "k", "EXAT", soon.Unix()},
	} {
		text := log(then, args...)
		require.Contains(t, text, "the clock of this engine shows 2024-01-01 00:00:00", args)
		require.Equal(t, 1, strings.Count(text, "redmoontest:"), args)
		require.Empty(t, log(time.Now(), args...))
	}
	for _, args := range [][]any{
		{"EXPIREAT", "k", then.Add(time.Minute).Unix()}, {"EXPIREAT", "k", 1}, {"SET", "k", soon.Unix()}, {"SET", "exat", soon.Unix()},
		{"EXPIRE", "k", 60}, {"PEXPIREAT", "k", int64(1) << 60},
	} {
		require.Empty(t, log(then, args...), args)
	}
}

// loggingT keeps what is logged.
type loggingT struct {
	testing.TB
	lines []string
}

func (t *loggingT) Logf(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}
