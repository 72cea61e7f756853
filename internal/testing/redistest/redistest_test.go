package redistest_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// killed is a server that was killed when it had written the key k.
func killed(t *testing.T) *redistest.Server {
	redistest.Need(t)
	s, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, err = s.Do("SET", "k", "v")
	require.NoError(t, err)
	s.Kill()
	return s
}

func TestAKilledServerComesBackWithWhatItWrote(t *testing.T) {
	s := killed(t)
	_, err := s.Do("GET", "k")
	require.Error(t, err)
	require.NoError(t, s.Restart())
	v, err := s.Do("GET", "k")
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
	s.Stop()
	_, err = os.Stat(s.Dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAServerWhosePortIsTakenHasEnded(t *testing.T) {
	redistest.Need(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	_, err = redistest.Start("--port", port)
	require.ErrorIs(t, err, redistest.ErrEnded)

	s, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, port, err = net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	_, err = redistest.Start("--port", port)
	require.ErrorIs(t, err, redistest.ErrEnded, "it takes another server for itself")
}

func TestNobodyCanListenOnADeadPort(t *testing.T) {
	port := redistest.DeadPort(t)
	_, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.Error(t, err)
	for _, host := range []string{"127.0.0.1", ""} {
		_, err = net.Listen("tcp", host+":"+port)
		require.Error(t, err)
	}
}

// Without Restart's repair the server would run the incomplete transaction at the second start.
func TestATransactionThatIsHalfWrittenIsGone(t *testing.T) {
	s := killed(t)
	files, err := filepath.Glob(filepath.Join(s.Dir, "*", "*.incr.aof"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$4\r\nIN")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for range 2 {
		require.NoError(t, s.Restart())
		v, err := s.Do("EVAL", "redis.call('INCR', 'starts') redis.call('SET', 'l', 'w') return redis.call('GET', 'n')", "0")
		require.NoError(t, err)
		require.True(t, v.IsNil())
		s.Kill()
	}
	require.NoError(t, s.Restart())
	v, err := s.Do("MGET", "k", "starts", "n")
	require.NoError(t, err)
	require.Equal(t, []string{"v", "2", ""}, v.Strings())
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
	require.Zero(t, v.MustInt())
	_, err = c.Of("b").Do("GET", "a")
	require.ErrorContains(t, err, "MOVED")
}
