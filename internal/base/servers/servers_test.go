package servers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestReleasesAreOrdered(t *testing.T) {
	for _, c := range []struct {
		a, b string
		sign int
	}{
		{"7.0.0", "7.0.0", 0}, {"2.10.0", "2.9.0", 1}, {"6.2.0", "7.0.0", -1}, {"7.0.15", "7.0.2", 1}, {"7.0", "7.0.0", -1},
		{"8.0.2", "7.4.4", 1},
	} {
		got := servers.Compare(c.a, c.b)
		require.Equal(t, c.sign, min(1, max(-1, got)), "%s %s", c.a, c.b)
	}
}

func TestServersAreChosenByName(t *testing.T) {
	for name, want := range map[string]servers.Server{
		"": servers.Redis70, "7.0": servers.Redis70, "8.0": servers.Redis80, "redis-8.0": servers.Redis80, "redis": servers.Redis86,
		"valkey": servers.Valkey91, "valkey-8.0": servers.Valkey80,
	} {
		s, ok := servers.Parse(name)
		require.True(t, ok, name)
		require.Equal(t, want, s, name)
	}
	for _, name := range []string{"7", "7.0.15", "9.1", "Redis", "valkey8.0", "redict", "redis-"} {
		_, ok := servers.Parse(name)
		require.False(t, ok, name)
	}
	for _, s := range servers.All() {
		same, ok := servers.Parse(s.String())
		require.True(t, ok)
		require.Equal(t, s, same)
		require.Contains(t, servers.Names(), s.String())
	}
	require.Regexp(t, `^redis-7\.0, redis-7\.2, .* and valkey-9\.1$`, servers.Names())
}

func TestServersHaveWhatTheirReleasesBrought(t *testing.T) {
	for since, want := range map[servers.Since]map[servers.Server]bool{
		"":            {servers.Redis70: true, servers.Valkey72: true},
		"7.0.0":       {servers.Redis70: true, servers.Redis86: true, servers.Valkey72: true},
		"7.2.0":       {servers.Redis70: false, servers.Redis72: true, servers.Valkey72: true, servers.Valkey91: true},
		"7.4.0":       {servers.Redis72: false, servers.Redis74: true, servers.Valkey72: false, servers.Valkey91: false},
		"7.4.0/9.0.0": {servers.Redis74: true, servers.Valkey81: false, servers.Valkey90: true},
		"8.0.0/-":     {servers.Redis74: false, servers.Redis80: true, servers.Valkey91: false},
		"-/8.0.0":     {servers.Redis86: false, servers.Valkey72: false, servers.Valkey80: true},
	} {
		for s, has := range want {
			require.Equal(t, has, s.HasSince(since), "%s %s", s, since)
		}
	}
}

func TestVersionsAreShownToPeople(t *testing.T) {
	for since, want := range map[servers.Since]string{
		"": "", "7.0.0": "7.0.0", "7.4.0/9.0.0": "7.4.0 and Valkey 9.0.0", "8.0.0/-": "8.0.0", "-/8.0.0": "Valkey 8.0.0",
	} {
		require.Equal(t, want, since.String())
	}
}

func TestALaterRedisKeepsWhatAnEarlierOneHas(t *testing.T) {
	all := servers.All()
	for i, s := range all[1:] {
		if s.Kind() == all[i].Kind() {
			require.Positive(t, servers.Compare(s.Release(), all[i].Release()), s)
			require.GreaterOrEqual(t, s.DumpVersion(), all[i].DumpVersion(), s)
		}
	}
}

func TestLazyValuesAreMadeOnce(t *testing.T) {
	made := 0
	of := servers.Lazily(func(s servers.Server) string { made++; return s.String() })
	require.Equal(t, "redis-8.0", of(servers.Redis80))
	require.Equal(t, "redis-8.0", of(servers.Redis80))
	require.Equal(t, 1, made)
}

func TestFilesNameTheirReader(t *testing.T) {
	for dump, want := range map[int]servers.Server{
		6: servers.Redis70, 10: servers.Redis70, 11: servers.Redis72, 12: servers.Redis74, 13: servers.Redis86, 80: servers.Valkey90,
	} {
		s, ok := servers.ReaderOf(dump)
		require.True(t, ok)
		require.Equal(t, want, s, dump)
	}
	_, ok := servers.ReaderOf(99)
	require.False(t, ok)
}

func TestReleasesFindTheNearestServer(t *testing.T) {
	for release, want := range map[string]servers.Server{
		"": servers.Redis70, "6.2.14": servers.Redis70, "7.0.0": servers.Redis70, "7.2.9": servers.Redis72, "7.4.0": servers.Redis74,
		"8.1.5": servers.Redis80, "9.0.0": servers.Redis86,
	} {
		require.Equal(t, want, servers.Nearest(servers.Redis, release), release)
	}
	require.Equal(t, servers.Valkey81, servers.Nearest(servers.Valkey, "8.1.9"))
	require.Equal(t, servers.Valkey72, servers.Nearest(servers.Valkey, "7.2.4"))
}

func TestServerOfInfo(t *testing.T) {
	for info, want := range map[string]string{
		"# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n":                     "redis-7.0 redis 7.0.15",
		"# Server\r\nredis_version:8.3.240\r\n":                                             "redis-8.2 redis 8.3.240",
		"# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.4\r\n": "valkey-8.1 valkey 8.1.4",
	} {
		s, release, ok := servers.OfInfo(info)
		require.True(t, ok)
		require.Equal(t, want, s.String()+" "+release)
	}
	_, _, ok := servers.OfInfo("# Server\r\nredict_version:7.3.6\r\n")
	require.False(t, ok)
}
