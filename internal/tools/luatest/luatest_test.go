package luatest_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// TestConformance runs the suites that say how the framework behaves. They are written in its own
// words.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/pass/*_test.lua")
	require.NoError(t, err)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			result := runFile(t, path, &luatest.Options{})
			for _, r := range result.Results {
				for _, p := range r.Problems {
					t.Errorf("%s:%d: %s: %s: %s\n%s", r.File, p.Line, r.Name(), p.Phase, p.Message, p.Excerpt)
				}
			}
		})
	}
}

func runFile(t *testing.T, path string, opt *luatest.Options) luatest.FileResult {
	f, err := luatest.Load(context.Background(), path, opt)
	require.NoError(t, err)
	defer f.Close()
	return f.Run()
}
