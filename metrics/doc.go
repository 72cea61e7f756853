// Package metrics shows what an engine has counted, [engine.Stats], to monitoring systems:
//
//   - [NewCollector] for Prometheus,
//   - [Observe] for OpenTelemetry, and [Trace] for a span of each script and command,
//   - [Publish] for package expvar.
//
// All of them, and "redmoon serve --metrics", have the same metrics, which docs/metrics.md lists.
// grafana.json is a dashboard for those of Prometheus.
//
// The package is a module of its own, so that programs without it do not depend on Prometheus and
// OpenTelemetry.
package metrics
