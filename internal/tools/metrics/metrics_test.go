package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
	"github.com/stretchr/testify/require"
)

var record = flag.Bool("record", false, "write testdata")

// sample are statistics with a sample of every metric.
func sample() engine.Stats {
	return engine.Stats{
		Uptime: 90 * time.Second, Busy: true, QueueLength: 3, QueueCapacity: 1024,
		Commands: []engine.CommandStats{
			{Name: "blpop", Calls: 2, Time: time.Microsecond},
			{Name: "config|get", Calls: 5, Rejected: 1, Failed: 2, Time: 1500 * time.Millisecond, Latency: []engine.LatencyBucket{
				{UpTo: time.Microsecond}, {UpTo: 33 * time.Microsecond, Calls: 3}, {UpTo: math.MaxInt64, Calls: 5}}},
		},
		Scripts: []engine.ScriptStats{
			{Name: "lib.f", Calls: 1, Time: time.Millisecond, Longest: time.Millisecond},
			{SHA1: "00ff", Name: "a \"b\"\\\n\xff", Calls: 7, Failed: 1, Time: time.Second, Longest: time.Second / 2},
			{Calls: 4},
		},
		CachedScripts: 2, Libraries: 1,
		Errors:    map[string]int64{"WRONGTYPE": 2, "ERR": 1, "E1": 3, "": 1},
		Databases: []engine.DatabaseStats{{Number: 3, Keys: 10, Expiring: 4, AverageTTL: 2500 * time.Millisecond}},
		Hits:      1, Misses: 2, Expired: 3, Evicted: 4,
		MemoryUsed: 1 << 20, MemoryPeak: 2 << 20, MemoryDataset: 1 << 19, MemoryScripts: 40, MemoryMax: 1 << 30,
		Clients: 5, BlockedClients: 6, TrackingClients: 7, EvictedClients: 8, Connections: 9, RejectedConnections: 10,
		NetworkInput: 11, NetworkOutput: 12, PubSubChannels: 13, PubSubPatterns: 14, PubSubShardChannels: 15, ChangesSinceSave: 16,
	}
}

func TestTextIsTheGolden(t *testing.T) {
	s := sample()
	var b bytes.Buffer
	require.NoError(t, metrics.WriteText(&b, []metrics.Source{{Stats: &s}}))
	const path = "testdata/metrics.txt"
	if *record {
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
	for _, m := range metrics.Table() {
		require.Contains(t, b.String(), "# TYPE "+m.Name+" "+string(m.Kind)+"\n")
	}
}

func TestTextOfSeveralEngines(t *testing.T) {
	s := sample()
	var b bytes.Buffer
	require.NoError(t, metrics.WriteText(&b, []metrics.Source{{Shard: "0", Stats: &s}, {Shard: "1"}}))
	require.Contains(t, b.String(), "redmoon_up{shard=\"0\"} 1\nredmoon_up{shard=\"1\"} 0\n")
	require.Contains(t, b.String(), "redmoon_keys{shard=\"0\",db=\"3\"} 10\n")
	require.Equal(t, 1, strings.Count(b.String(), "# TYPE redmoon_keys gauge"))
	require.NotContains(t, strings.ReplaceAll(b.String(), `redmoon_up{shard="1"}`, ""), `shard="1"`)
}

func TestTextWithoutAnAnswer(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	var b bytes.Buffer
	require.NoError(t, metrics.WriteText(&b, metrics.Read(context.Background(), e)))
	require.Equal(t, "# HELP redmoon_up Whether the engine has answered: 1 or 0.\n# TYPE redmoon_up gauge\nredmoon_up 0\n", b.String())
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestTextReportsTheErrorOfTheWriter(t *testing.T) {
	s := sample()
	require.ErrorIs(t, metrics.WriteText(brokenWriter{}, []metrics.Source{{Stats: &s}}), errBroken)
}

func TestVarsAreJSON(t *testing.T) {
	s := sample()
	text, err := json.Marshal(metrics.Vars([]metrics.Source{{Stats: &s}}))
	require.NoError(t, err)
	var vars map[string]any
	require.NoError(t, json.Unmarshal(text, &vars))
	require.Len(t, vars, len(metrics.Table()))
	require.Equal(t, 3.0, vars["redmoon_queue_length"])
	require.Equal(t, map[string]any{"0": 0.0, "3": 10.0}, vars["redmoon_keys"])
	require.Equal(t, map[string]any{"config|get": map[string]any{"count": 5.0, "sum": 1.5}}, vars["redmoon_command_duration_seconds"])
}

func TestReadNumbersSeveralEngines(t *testing.T) {
	c, err := engine.NewCluster(2, engine.Options{})
	require.NoError(t, err)
	defer c.Close()
	sources := metrics.Read(context.Background(), c.Shards()...)
	require.Equal(t, []string{"0", "1"}, []string{sources[0].Shard, sources[1].Shard})
	require.NotNil(t, sources[1].Stats)
}
