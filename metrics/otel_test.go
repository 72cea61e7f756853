package metrics_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/redmoon-lua/redmoon/engine"
	table "github.com/redmoon-lua/redmoon/internal/tools/metrics"
	"github.com/redmoon-lua/redmoon/metrics"
)

// observed returns the metrics of a reader, by name.
func observed(t *testing.T, r sdkmetric.Reader) map[string]metricdata.Metrics {
	t.Helper()
	var data metricdata.ResourceMetrics
	require.NoError(t, r.Collect(context.Background(), &data))
	all := map[string]metricdata.Metrics{}
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			all[m.Name] = m
		}
	}
	return all
}

func TestObserve(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	registration, err := metrics.Observe(provider, worked(t))
	require.NoError(t, err)

	all := observed(t, reader)
	require.Len(t, all, len(table.Table()))
	runs := all["redmoon.script_runs"].Data.(metricdata.Sum[float64])
	require.True(t, runs.IsMonotonic)
	values := map[string]float64{}
	for _, p := range runs.DataPoints {
		script, _ := p.Attributes.Value("script")
		values[script.AsString()] = p.Value
	}
	require.Equal(t, map[string]float64{"incr.lua": 3, "lib.f": 1}, values)
	require.Equal(t, "By", all["redmoon.memory_used"].Unit)
	require.Equal(t, 1.0, all["redmoon.keys"].Data.(metricdata.Gauge[float64]).DataPoints[0].Value)
	require.Equal(t, "s", all["redmoon.command_duration"].Unit)
	require.Contains(t, all, "redmoon.script_duration")

	require.NoError(t, registration.Unregister())
	require.Empty(t, observed(t, reader))
}

func TestObserveSeveralEngines(t *testing.T) {
	c, err := engine.NewCluster(3, engine.Options{})
	require.NoError(t, err)
	defer c.Close()
	reader := sdkmetric.NewManualReader()
	_, err = metrics.Observe(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), c.Shards()...)
	require.NoError(t, err)
	require.Len(t, observed(t, reader)["redmoon.up"].Data.(metricdata.Gauge[float64]).DataPoints, 3)
}

func TestTrace(t *testing.T) {
	ctx := context.Background()
	recorder := tracetest.NewSpanRecorder()
	client := metrics.Trace(worked(t), sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))

	v, err := incr.Run(ctx, client, []string{"m"})
	require.NoError(t, err)
	n, err := v.Int()
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	_, err = client.DoStrings(ctx, "lpush", "n", "secret")
	require.ErrorIs(t, err, engine.ErrWrongType)
	_, err = client.RunScript(ctx, engine.NewScript("return redis.error_reply('MY own')"), nil, nil)
	require.Error(t, err)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.DoStrings(cancelled, "PING")
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.DoStrings(ctx)
	require.Error(t, err)

	spans := recorder.Ended()
	require.Len(t, spans, 5)
	attributes := func(i int) map[attribute.Key]string {
		all := map[attribute.Key]string{}
		for _, kv := range spans[i].Attributes() {
			require.NotContains(t, kv.Value.AsString(), "secret")
			all[kv.Key] = kv.Value.AsString()
		}
		require.Equal(t, "redis", all["db.system.name"])
		require.Equal(t, trace.SpanKindInternal, spans[i].SpanKind())
		return all
	}
	script := attributes(0)
	require.Equal(t, "EVALSHA incr.lua", spans[0].Name())
	require.Equal(t, []string{"EVALSHA", "incr.lua", incr.SHA()},
		[]string{script["db.operation.name"], script["db.stored_procedure.name"], script[metrics.SHA1Key]})
	require.Equal(t, codes.Unset, spans[0].Status().Code)

	command := attributes(1)
	require.Equal(t, "LPUSH", spans[1].Name())
	require.Equal(t, []string{"WRONGTYPE", "WRONGTYPE"}, []string{command["db.response.status_code"], command["error.type"]})
	require.Equal(t, codes.Error, spans[1].Status().Code)
	require.True(t, strings.HasPrefix(spans[1].Status().Description, "WRONGTYPE "))

	require.Equal(t, "MY", attributes(2)["error.type"])
	require.Equal(t, "*errors.errorString", attributes(3)["error.type"])
	require.Equal(t, codes.Error, spans[3].Status().Code)
	require.NotContains(t, attributes(3), attribute.Key("db.response.status_code"))
	require.Equal(t, "no command", spans[4].Name())
}

// A client of another process has spans of kind client.
func TestTraceOfAnotherProcess(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	client := metrics.Trace(struct{ engine.Client }{worked(t)}, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	_, err := client.DoStrings(context.Background(), "PING")
	require.NoError(t, err)
	require.Equal(t, trace.SpanKindClient, recorder.Ended()[0].SpanKind())
}
