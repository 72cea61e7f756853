package redmoontest

import (
	"path/filepath"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/report"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

// RunLua runs tests that are written in Lua, as `redmoon test` does; docs/test.md shows them. A
// path is a file, a folder, in which and below which all files *_test.lua and *_spec.lua are run,
// or a pattern of [filepath.Glob]; it is relative to the folder of the package under test. Each
// file, each block and each test is a subtest. A pending test is skipped. Every test has an engine
// of its own.
//
// RunLua ends the test if a path does not exist or there are no test files. Snapshots are compared
// only: `redmoon test --update` writes them.
func RunLua(t *testing.T, paths ...string) {
	t.Helper()
	runLua(t, "", paths)
}

// RunLuaOn is RunLua on engines that follow each of some servers, which are the outermost subtests;
// see [EachServer] for their names.
func RunLuaOn(t *testing.T, names []string, paths ...string) {
	t.Helper()
	for _, name := range serverNames(names) {
		t.Run(name, func(t *testing.T) { runLua(t, name, paths) })
	}
}

// runLua is RunLua with the server that engines follow; "" is the default.
func runLua(t *testing.T, server string, paths []string) {
	t.Helper()
	files, err := luatest.Find(paths)
	if err != nil {
		t.Fatalf("redmoontest: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.ToSlash(path), func(t *testing.T) { runLuaFile(t, server, path) })
	}
}

// runLuaFile runs a file, whose blocks and tests are subtests of t.
func runLuaFile(t *testing.T, server, path string) {
	present := t // the test that runs
	opt := &luatest.Options{Server: server, Done: func(r luatest.Result) { reportLua(present, r) }}
	opt.Around = func(name string, run func() []luatest.Result) {
		present.Run(name, func(t *testing.T) {
			outer := present
			present = t
			defer func() { present = outer }()
			results := run()
			if len(results) == 1 && (results[0].Status == luatest.Pending || results[0].Status == luatest.NotRun) {
				t.Skip(results[0].Status, results[0].Reason)
			}
		})
	}
	if opt.Coverage = cover.of(t); opt.Coverage != nil {
		opt.OnScript = func(s testredis.Source) {
			if file := s.File(); file != "" {
				opt.Coverage.Name(s.Text, fileName(file))
			}
		}
	}
	f, err := luatest.Load(t.Context(), path, opt)
	if err != nil {
		t.Fatalf("redmoontest: %v", err)
	}
	defer f.Close()
	result := f.Run()
	for _, name := range result.Snapshots.Obsolete {
		t.Logf("%s: the snapshot %q is obsolete", result.Snapshots.Path, name)
	}
}

// reportLua reports what a Lua test has printed, and its problems.
func reportLua(t *testing.T, r luatest.Result) {
	if r.Output != "" {
		t.Log(r.Output)
	}
	for _, p := range r.Problems {
		t.Errorf("%s\n%s", r.Name(), report.Plain(p))
	}
	if r.Status.Bad() {
		for _, line := range r.Logs {
			t.Log(line)
		}
	}
}
