package metrics

import (
	"context"
	"expvar"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// Publish shows the metrics of engines as the variable name of package expvar: an object with a
// number for each metric, or an object of numbers by the values of the labels. Like expvar.Publish
// it panics if the name is in use, and there is no way to end it.
func Publish(name string, engines ...*engine.Engine) {
	expvar.Publish(name, expvar.Func(func() any {
		return metrics.Vars(metrics.Read(context.Background(), engines...))
	}))
}
