package luacorpus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRepairsOfTheRepository(t *testing.T) {
	scripts, err := Repository()
	require.NoError(t, err)
	r, err := CheckRepairs(scripts)
	require.NoError(t, err)
	t.Logf("%d scripts with repairs: %d together, %d one by one; %d texts ran", r.Scripts, r.Together, r.OneByOne, r.Ran)
	require.Empty(t, r.Wrong)
	require.Positive(t, r.OneByOne)
}

func TestRepairsThatAreWrongAreSeen(t *testing.T) {
	whole := Script{Source: "local limit = 5\nlocal n = tonumber(ARGV[1])\nreturn redis.call('INCR', 'k')"}
	r, err := CheckRepairs([]Script{whole})
	require.NoError(t, err)
	require.Equal(t, &Repaired{Scripts: 1, OneByOne: 2, Ran: 2}, r)

	same, err := r.runs(whole, "return redis.call('INCR', 'other')")
	require.NoError(t, err)
	require.False(t, same, "another key")
	same, err = r.runs(whole, "return redis.call('INCR', 'k') + 1")
	require.NoError(t, err)
	require.False(t, same, "another reply")
	require.NotEqual(t, declared("local a, b = 1\nfunction c() end"), declared("local a = 1\nfunction c() end"))
	require.NotEqual(t, declared("local a\nfunction c() end"), declared("local a"))
}
