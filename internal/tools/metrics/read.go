package metrics

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Timeout is how long [Read] waits for an engine: longer than busy-reply-threshold by default,
// after which an engine with a busy script answers, and shorter than Prometheus's limit of 10 s.
const Timeout = 8 * time.Second

// Source is what one engine has answered.
type Source struct {
	Shard string        // its number if there are several engines, else ""
	Stats *engine.Stats // nil: it has not answered
}

// Read asks the engines for their statistics, all at the same time. It takes Timeout at most.
func Read(ctx context.Context, engines ...*engine.Engine) []Source {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	sources := make([]Source, len(engines))
	var wg sync.WaitGroup
	for i, e := range engines {
		if len(engines) > 1 {
			sources[i].Shard = strconv.Itoa(i)
		}
		wg.Go(func() {
			if s, err := e.Stats(ctx); err == nil {
				sources[i].Stats = &s
			}
		})
	}
	wg.Wait()
	return sources
}

// ShardLabel is the label that distinguishes several engines.
const ShardLabel = "shard"

// Each calls f for each sample of a metric in sources, with the names and values of all its labels.
func (m *Metric) Each(sources []Source, f func(names, values []string, s Sample)) {
	for _, source := range sources {
		names, add := m.Labels, []string(nil)
		if source.Shard != "" {
			names, add = append([]string{ShardLabel}, m.Labels...), []string{source.Shard}
		}
		switch {
		case source.Stats != nil:
			m.Read(source.Stats, func(s Sample) { f(names, append(add[:len(add):len(add)], s.Labels...), s) })
		case m.Name == Up:
			f(names, add, Sample{})
		}
	}
}
