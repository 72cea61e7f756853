package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"expvar"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	table "github.com/redmoon-lua/redmoon/internal/tools/metrics"
	"github.com/redmoon-lua/redmoon/metrics"
)

var incr = engine.NewScript("return redis.call('INCR', KEYS[1])").Named("incr.lua")

// worked returns an engine that has run commands and scripts, and whose clock stands.
func worked(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	ctx := context.Background()
	for range 3 {
		_, err = incr.Run(ctx, e, []string{"n"})
		require.NoError(t, err)
	}
	_, err = e.Do(ctx, "LPUSH", "n", 1)
	require.ErrorIs(t, err, engine.ErrWrongType)
	_, err = e.Do(ctx, "FUNCTION", "LOAD", `#!lua name=lib
		redis.register_function('f', function() return redis.error_reply('\255"odd') end)`)
	require.NoError(t, err)
	_, err = e.FCall(ctx, "f", nil)
	require.Error(t, err)
	return e
}

func TestCollectorFollowsTheRulesOfPrometheus(t *testing.T) {
	e := worked(t)
	problems, err := testutil.CollectAndLint(metrics.NewCollector(e))
	require.NoError(t, err)
	require.Empty(t, problems)
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(metrics.NewCollector(e)))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, len(table.Table()))
}

// families brings the two forms of metrics into one: text, parsed, with sorted samples.
func families(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	require.NoError(t, err)
	for _, f := range all {
		for _, m := range f.Metric {
			slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
		}
		slices.SortFunc(f.Metric, func(a, b *dto.Metric) int { return strings.Compare(a.String(), b.String()) })
	}
	return all
}

func TestTextOfServeIsThatOfTheCollector(t *testing.T) {
	c, err := engine.NewCluster(2, engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))})
	require.NoError(t, err)
	defer c.Close()
	_, err = incr.Run(context.Background(), c, []string{"n"})
	require.NoError(t, err)
	for name, engines := range map[string][]*engine.Engine{"one engine": {worked(t)}, "two shards": c.Shards()} {
		t.Run(name, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			registry.MustRegister(metrics.NewCollector(engines...))
			gathered, err := registry.Gather()
			require.NoError(t, err)
			var theirs, ours bytes.Buffer
			for _, f := range gathered {
				_, err := expfmt.MetricFamilyToText(&theirs, f)
				require.NoError(t, err)
			}
			require.NoError(t, table.WriteText(&ours, table.Read(context.Background(), engines...)))
			want, got := families(t, theirs.Bytes()), families(t, ours.Bytes())
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
			for name, f := range want {
				require.Equal(t, f.String(), got[name].String())
			}
		})
	}
}

func TestCollectorOfAClosedEngine(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, testutil.CollectAndCompare(metrics.NewCollector(e), strings.NewReader(
		"# HELP redmoon_up Whether the engine has answered: 1 or 0.\n# TYPE redmoon_up gauge\nredmoon_up 0\n")))
}

func TestPublish(t *testing.T) {
	metrics.Publish("redmoon", worked(t))
	var vars map[string]any
	require.NoError(t, json.Unmarshal([]byte(expvar.Get("redmoon").String()), &vars))
	require.Equal(t, map[string]any{"incr.lua," + incr.SHA(): 3.0, "lib.f,": 1.0}, vars["redmoon_script_runs_total"])
}
