package redmoontest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/coverage"
)

// coverFlag is the file of the flag -redmoon.cover. A package that defines a flag can do so only in
// a variable: package testing parses the command line before any test runs.
var coverFlag = flag.String("redmoon.cover", "",
	"append the coverage of Lua scripts to `file`; default $REDMOON_COVER")

// cover is the coverage of all engines of the process. It belongs to the process because the flag
// does, and because a test binary has no end at which the engines could be asked one by one.
var cover collector

// collector appends what the engines of tests have covered to a file.
type collector struct {
	mu      sync.Mutex
	counts  *engine.Coverage // nil until the first engine
	open    int              // engines that have not been closed
	path    string           // of the file
	written map[string]bool  // scripts of which the file has a line
}

// coverPath returns the file to append to, or "".
func coverPath() string {
	if *coverFlag != "" {
		return *coverFlag
	}
	return os.Getenv("REDMOON_COVER")
}

// of returns the Coverage for an engine of t, which must be closed when t ends. It is nil if no
// file is set.
func (c *collector) of(t testing.TB) *engine.Coverage {
	path := coverPath()
	if path == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		if !filepath.IsAbs(path) {
			path = filepath.Join(moduleRoot(), path)
		}
		c.counts, c.path, c.written = engine.NewCoverage(), path, map[string]bool{}
	}
	c.open++
	t.Cleanup(func() { // it is registered before the engine's, so it runs when the engine is closed
		if err := c.end(); err != nil {
			t.Errorf("redmoontest: %v", err)
		}
	})
	return c.counts
}

// end is called when an engine has been closed. The last one appends what has been counted.
func (c *collector) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open > 0 {
		return nil
	}
	var scripts []engine.ScriptCoverage
	for _, s := range c.counts.Take() {
		if c.written[s.SHA] {
			if s.Runs == 0 && !anyHit(&s) {
				continue
			}
			s.Source = "" // the file has it
		}
		c.written[s.SHA] = true
		scripts = append(scripts, s)
	}
	if err := coverage.Append(c.path, scripts); err != nil {
		return fmt.Errorf("coverage: %w", err)
	}
	return nil
}

// anyHit reports whether something of a script has run. A library runs without being loaded again.
func anyHit(s *engine.ScriptCoverage) bool {
	for _, l := range s.Lines {
		if l.Hits > 0 {
			return true
		}
	}
	return false
}

// fileName returns the name of a file in reports: its path below the folder with go.mod.
func fileName(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	if below, err := filepath.Rel(moduleRoot(), abs); err == nil && below != ".." && !strings.HasPrefix(below,
		".."+string(filepath.Separator)) {
		abs = below
	}
	return filepath.ToSlash(abs)
}

// moduleRoot returns the nearest folder with a go.mod, the working directory or above; the working
// directory if there is none. The go command starts a test in the folder of its package, so
// relative paths need another base.
func moduleRoot() string {
	dir, err := filepath.Abs(".")
	if err != nil {
		return "."
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
