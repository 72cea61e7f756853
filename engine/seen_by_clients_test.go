package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// Denials are one entry of the log only if they are the same.
func TestDenialsAreGroupedIfTheyAreTheSame(t *testing.T) {
	e := newEngine(t, engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1000))})
	do(t, e, "ACL", "SETUSER", "ann", "on", "nopass", "~a*", "+get", "+multi", "+exec", "+auth")
	do(t, e, "ACL", "SETUSER", "bob", "on", "nopass", "~a*", "+get", "+auth")
	for _, c := range []struct {
		user string
		line string
	}{{"ann", "GET x"}, {"ann", "GET x"}, {"ann", "GET y"}, {"ann", "SET x 1"}, {"ann", "DEL x"}, {"bob", "GET x"}, {"bob", "GET x"},
		{"bob", "GET set"}, {"bob", "SET a 1"}, {"ann", "GET set"}} {
		s, err := e.NewSession()
		require.NoError(t, err)
		do(t, s, "AUTH", c.user, "any")
		_, err = s.DoStrings(context.Background(), strings.Fields(c.line)...)
		require.ErrorContains(t, err, "NOPERM")
		require.NoError(t, s.Close())
	}
	var got []string
	for _, entry := range do(t, e, "ACL", "LOG").Slice() {
		f := entry.Slice() // name, value …
		got = append(got, strings.Join([]string{f[1].Text(), f[3].Text(), f[7].Text(), f[9].Text()}, " "))
	}
	require.Equal(t, []string{"1 key set ann", "1 command set bob", "1 key set bob", "2 key x bob", "1 command del ann",
		"1 command set ann", "1 key y ann", "2 key x ann"}, got)
}

// A tracked key is forgotten when it changes, also if nobody tracks any more.
func TestTrackedKeysOfClientsThatHaveGone(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s, err := e.NewSession()
	require.NoError(t, err)
	do(t, s, "HELLO", 3)
	do(t, s, "CLIENT", "TRACKING", "ON")
	do(t, s, "MSET", "k", 1, "j", 1)
	do(t, s, "GET", "k")
	do(t, s, "GET", "j")
	require.NoError(t, s.Close())
	for _, c := range []struct{ key, left string }{{"j", "1"}, {"k", "0"}} {
		do(t, e, "SET", c.key, 2)
		require.Contains(t, do(t, e, "INFO", "stats").Text(), "tracking_total_keys:"+c.left+"\r\n")
	}
}

func TestTheFlagsOfASubscriber(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s, err := e.NewSession()
	require.NoError(t, err)
	defer s.Close()
	id := do(t, s, "CLIENT", "ID").Text()
	require.Contains(t, do(t, e, "CLIENT", "LIST", "ID", id).Text(), " flags=N ")
	for _, line := range []string{"SUBSCRIBE a", "PSUBSCRIBE a*", "SSUBSCRIBE a"} {
		_, err := s.DoStrings(context.Background(), strings.Fields(line)...)
		require.NoError(t, err)
		require.Contains(t, do(t, e, "CLIENT", "LIST", "ID", id).Text(), " flags=P ", line)
		_, err = s.DoStrings(context.Background(), "RESET")
		require.NoError(t, err)
	}
}

// The rates are those of the last 1.6 seconds, in KiB: of 16 batches in 1.5 seconds.
func TestRatesOfTheNetwork(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	s, err := e.NewSession()
	require.NoError(t, err)
	defer s.Close()
	ctx := context.Background()
	for range 20 {
		clock.Advance(100 * time.Millisecond)
		b := enginedoor.Batch{Commands: [][]string{{"PING"}}, BytesIn: 102_400, BytesOut: 51_200}
		require.NoError(t, enginedoor.Of(s).RunBatch(ctx, &b))
	}
	text := do(t, e, "INFO", "stats").Text()
	require.Contains(t, text, "instantaneous_input_kbps:1066.67\r\n")
	require.Contains(t, text, "instantaneous_output_kbps:533.33\r\n")
}

func TestAConfigurationFileMakesACluster(t *testing.T) {
	for text, want := range map[string]string{"cluster-enabled yes": "cluster_enabled:1", "cluster-enabled no": "cluster_enabled:0"} {
		path := filepath.Join(t.TempDir(), "redis.conf")
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
		f, err := engine.ReadConfigFile(path)
		require.NoError(t, err)
		e := newEngine(t, engine.Options{ConfigFile: f})
		require.Contains(t, do(t, e, "INFO", "cluster").Text(), want)
	}
	e := newEngine(t, engine.Options{Cluster: true})
	require.Contains(t, do(t, e, "INFO", "cluster").Text(), "cluster_enabled:1")
}
