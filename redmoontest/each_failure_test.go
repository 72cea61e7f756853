package redmoontest_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

// sale has ten in stock, and must never have sold other than what is missing.
func sale(script string) redmoontest.FailurePlay {
	return redmoontest.FailurePlay{
		Setup: func(e *redmoontest.Engine) { e.MustDo("SET", "stock", 10) },
		Run: func(e *redmoontest.Engine) error {
			_, err := e.Eval(context.Background(), script, []string{"stock", "buyers"}, "ann")
			return err
		},
		Check: func(e *redmoontest.Engine) error {
			if left, _ := strconv.Atoi(e.Get("stock")); left+len(e.List("buyers")) != 10 {
				return errors.New("a shoe is lost")
			}
			return nil
		},
	}
}

// quiet does not fail when t.Errorf is called.
type quiet struct {
	testing.TB
	lines []string
}

func (t *quiet) Errorf(format string, args ...any) { t.lines = append(t.lines, format) }

func TestEachFailure(t *testing.T) {
	q := &quiet{TB: t}
	found := redmoontest.EachFailure(q, sale("redis.call('DECR', KEYS[1]) redis.call('RPUSH', KEYS[2], ARGV[1])"))
	require.Len(t, found, 8, "the second call, four errors, alone and with those after it")
	require.Len(t, q.lines, 8)
	require.Equal(t, 1, found[0].Call)
	require.True(t, strings.HasPrefix(found[0].String(), "call 1 fails (RPUSH buyers ann -> (error) OOM"), found[0].String())
	require.ErrorContains(t, found[0].Run, "OOM")

	// The list comes first, and is taken back if the counter cannot follow.
	careful := `
		redis.call('RPUSH', KEYS[2], ARGV[1])
		local left = redis.pcall('DECR', KEYS[1])
		if type(left) == 'table' then redis.call('RPOP', KEYS[2]) return left end
		return left`
	q = &quiet{TB: t}
	found = redmoontest.EachFailure(q, sale(careful))
	require.Len(t, found, 4, "a script that stops cannot take back")
	for _, f := range found {
		require.Equal(t, "stops", f.Then)
	}
}
