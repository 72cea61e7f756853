package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// Collector collects the metrics of engines for Prometheus. Make it with [NewCollector].
type Collector struct {
	engines []*engine.Engine
	table   []metrics.Metric
	descs   []*prometheus.Desc // of table
}

var _ prometheus.Collector = (*Collector)(nil)

// NewCollector returns a collector for one engine or several, such as the shards of a cluster. With
// several, each metric has the label shard, which numbers them from 0.
//
// Each scrape costs one request to each engine. An engine that does not answer within 8 seconds, or
// is closed, has the metric redmoon_up with the value 0, and no other.
func NewCollector(engines ...*engine.Engine) *Collector {
	c := &Collector{engines: engines, table: metrics.Table()}
	for _, m := range c.table {
		labels := m.Labels
		if len(engines) > 1 {
			labels = append([]string{metrics.ShardLabel}, labels...)
		}
		c.descs = append(c.descs, prometheus.NewDesc(m.Name, m.Help, labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	sources := metrics.Read(context.Background(), c.engines...)
	for i := range c.table {
		m := &c.table[i]
		m.Each(sources, func(_, values []string, s metrics.Sample) {
			metric, err := constMetric(m, c.descs[i], values, s)
			if err != nil {
				metric = prometheus.NewInvalidMetric(c.descs[i], err)
			}
			ch <- metric
		})
	}
}

func constMetric(m *metrics.Metric, desc *prometheus.Desc, values []string, s metrics.Sample) (prometheus.Metric, error) {
	switch m.Kind {
	case metrics.Histogram:
		buckets := make(map[float64]uint64, len(s.Bounds))
		for i, bound := range s.Bounds {
			buckets[bound] = s.Counts[i]
		}
		return prometheus.NewConstHistogram(desc, s.Count, s.Sum, buckets, values...)
	case metrics.Counter:
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, s.Value, values...)
	}
	return prometheus.NewConstMetric(desc, prometheus.GaugeValue, s.Value, values...)
}
