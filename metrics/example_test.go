package metrics_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/metrics"
)

// A program that serves /metrics with promhttp has the engine in it.
func Example() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewCollector(e))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	e.Do(context.Background(), "SET", "k", "v")
	page := httptest.NewRecorder()
	handler.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "redmoon_keys{") || strings.HasPrefix(line, "redmoon_commands_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// redmoon_commands_total{command="set"} 1
	// redmoon_keys{db="0"} 1
}

func ExampleObserve() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	provider := sdkmetric.NewMeterProvider() // with the reader and exporter of your program
	registration, err := metrics.Observe(provider, e)
	if err != nil {
		panic(err)
	}
	defer registration.Unregister()
}

func ExampleTrace() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	provider := sdktrace.NewTracerProvider() // with the exporter of your program
	client := metrics.Trace(e, provider)     // use it in place of e
	hit := engine.NewScript("return redis.call('INCR', KEYS[1])").Named("hit.lua")
	v, err := hit.Run(context.Background(), client, []string{"visits"})
	fmt.Println(v, err)
	// Output: (integer) 1 <nil>
}
