package redistest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/redistest"
)

func TestAKilledServerComesBackWithWhatItWrote(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, err = s.Do("SET", "k", "v")
	require.NoError(t, err)
	s.Kill()
	_, err = s.Do("GET", "k")
	require.Error(t, err)
	require.NoError(t, s.Restart())
	v, err := s.Do("GET", "k")
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
	s.Stop()
	_, err = os.Stat(s.Dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAClusterServesFromThreeMasters(t *testing.T) {
	redistest.Need(t)
	c, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	require.Len(t, c.Addrs(), 3)
	for _, key := range []string{"a", "b", "c"} {
		_, err := c.Of(key).Do("SET", key, "v")
		require.NoError(t, err)
	}
	require.NotEqual(t, c.Of("a"), c.Of("b"))
	require.NoError(t, c.FlushAll())
	v, err := c.Of("a").Do("DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.Int())
	_, err = c.Of("b").Do("GET", "a")
	require.ErrorContains(t, err, "MOVED")
}
