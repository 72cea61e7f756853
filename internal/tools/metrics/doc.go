// Package metrics names what [engine.Stats] has for monitoring systems. Its table is the only
// definition of the metrics: the text that "redmoon serve --metrics" writes and everything in the
// module github.com/redmoon-lua/redmoon/metrics are made from it.
//
// Names follow the rules of Prometheus: base units (seconds, bytes), which the name ends in, and
// _total behind counters.
package metrics
