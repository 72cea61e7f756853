package metrics

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// scope is the name of the instrumentation.
const scope = "github.com/redmoon-lua/redmoon/metrics"

// Observe registers observable instruments for the metrics of one engine or several; see
// [NewCollector]. An exporter for Prometheus gives them the same names as the Collector. Only
// redmoon_command_duration_seconds differs: OpenTelemetry has no observable histogram, so it is a
// counter of seconds, redmoon.command_duration.
//
// Unregister of the result ends it. The error is that of provider.
func Observe(provider metric.MeterProvider, engines ...*engine.Engine) (metric.Registration, error) {
	meter := provider.Meter(scope)
	table := metrics.Table()
	instruments := make([]metric.Float64Observable, len(table))
	all := make([]metric.Observable, len(table))
	var errs []error
	for i, m := range table {
		var err error
		name, help, unit := instrumentName(m), metric.WithDescription(m.Help), metric.WithUnit(m.Unit)
		if m.Kind == metrics.Gauge {
			instruments[i], err = meter.Float64ObservableGauge(name, help, unit)
		} else {
			instruments[i], err = meter.Float64ObservableCounter(name, help, unit)
		}
		all[i] = instruments[i]
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		sources := metrics.Read(ctx, engines...)
		for i := range table {
			table[i].Each(sources, func(names, values []string, s metrics.Sample) {
				value := s.Value
				if s.Distribution != nil {
					value = s.Sum
				}
				attributes := make([]attribute.KeyValue, len(names))
				for j, name := range names {
					attributes[j] = attribute.String(name, values[j])
				}
				o.ObserveFloat64(instruments[i], value, metric.WithAttributes(attributes...))
			})
		}
		return nil
	}, all...)
}

// instrumentName returns the name of a metric without what an exporter for Prometheus appends: the
// unit, and _total for counters.
func instrumentName(m metrics.Metric) string {
	name := strings.TrimSuffix(m.Name, "_total")
	for _, unit := range []string{"_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return strings.Replace(name, "_", ".", 1)
}
