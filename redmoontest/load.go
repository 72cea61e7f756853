package redmoontest

import (
	"context"
	"io"
	"os"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/fixture"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
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

// Load adds the content of a file to the engine. The path is relative to the folder of the package
// under test. Load ends the test if the file cannot be loaded.
//
//   - An RDB file, such as the dump.rdb of a redis-server; see [engine.Engine.LoadRDB]. Keys whose
//     time to live has ended on the clock of the engine are left out: with [WithStart] the clock
//     can show the time of the file.
//   - A file whose name ends in .json has a value for each key: a text or number is a string, an
//     array a list, an object a hash; {"$set": [...]}, {"$zset": {...}}, {"$stream": [...]} and
//     {"$value": ..., "$ttl": "60s"} are for the rest.
//   - Any other file has a command on each line, quoted as for redis-cli; # begins a comment.
//
// The options are for RDB files. The result counts the keys of RDB files; for others, Keys is the
// number of commands.
func (e *Engine) Load(path string, opts ...LoadOption) engine.LoadResult {
	e.t.Helper()
	if isRDB(path) {
		return e.loadRDB(path, opts)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatalf("redmoontest: load: %v", err)
	}
	commands, err := fixture.Commands(path, content)
	if err != nil {
		e.t.Fatalf("redmoontest: load %s: %v", path, err)
	}
	do := harness.Do(func(args ...string) (engine.Value, error) { return e.DoStrings(context.Background(), args...) })
	if err := do.Run(commands); err != nil {
		e.t.Fatalf("redmoontest: load %s: %v", path, err)
	}
	return engine.LoadResult{Keys: len(commands)}
}

// isRDB reports whether a file is an RDB file.
func isRDB(path string) bool {
	head := make([]byte, 16)
	n := 0
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		n, _ = io.ReadFull(f, head) // of a file that cannot be read, Load finds out why
	}
	return harness.IsRDB(path, head[:n])
}

func (e *Engine) loadRDB(path string, opts []LoadOption) engine.LoadResult {
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
