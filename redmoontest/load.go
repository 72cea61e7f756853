package redmoontest

import (
	"context"

	"github.com/redmoon-lua/redmoon/engine"
)

// LoadOption changes what [Engine.Load] loads.
type LoadOption func(*engine.LoadOptions)

// WithMatch loads only the keys that one of the patterns matches, as KEYS does. It may be given
// several times: each adds patterns. Default: every key is loaded.
func WithMatch(patterns ...string) LoadOption {
	return func(o *engine.LoadOptions) { o.Match = append(o.Match, patterns...) }
}

// WithReplace replaces keys and function libraries that exist. Default: they end the test.
func WithReplace() LoadOption { return func(o *engine.LoadOptions) { o.Replace = true } }

// Load adds the keys and function libraries of an RDB file, such as the dump.rdb of a redis-server,
// to those of the engine; see [engine.Engine.LoadRDB]. The path is relative to the folder of the
// package under test. Keys whose time to live has ended on the clock of the engine are left out:
// with [WithStart] the clock can show the time of the file. Load ends the test if the file cannot
// be loaded.
func (e *Engine) Load(path string, opts ...LoadOption) engine.LoadResult {
	e.t.Helper()
	var o engine.LoadOptions
	for _, set := range opts {
		set(&o)
	}
	res, err := e.LoadRDBFile(context.Background(), path, o)
	if err != nil {
		e.t.Fatalf("redmoontest: load: %v", err)
	}
	return res
}
