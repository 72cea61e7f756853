package miniredis

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// suite is the tests of a published module that use miniredis.
type suite struct {
	name     string   // of the module
	packages []string // those whose tests are run
	also     []string // further modules that import miniredis
	// differs says for each test that fails only on minicompat why.
	differs map[string]string
}

var suites = []suite{
	{
		name: "github.com/zeromicro/go-zero",
		packages: []string{"github.com/zeromicro/go-zero/core/stores/redis", "github.com/zeromicro/go-zero/core/stores/kv",
			"github.com/zeromicro/go-zero/core/stores/cache", "github.com/zeromicro/go-zero/core/limit"},
	},
	{
		name:     "github.com/envoyproxy/ratelimit",
		packages: []string{"github.com/envoyproxy/ratelimit/test/redis"},
	},
	{
		name:     "github.com/oauth2-proxy/oauth2-proxy/v7",
		packages: []string{"github.com/oauth2-proxy/oauth2-proxy/v7/pkg/sessions/redis"},
		also:     []string{"github.com/Bose/minisentinel"},
	},
}

// TestSuites runs the tests of published modules on miniredis, as they are, and then with the one
// import changed. What fails on minicompat only must be explained.
func TestSuites(t *testing.T) {
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			src := newSources(t)
			for _, module := range append(s.also, s.name) {
				require.NotZero(t, src.copyModule(module, importOurs), module)
			}
			on, with := goTest(t, nil, s.packages...), goTest(t, src, s.packages...)
			fmt.Printf("%s: miniredis %d/%d passed, minicompat %d/%d passed\n", s.name, on.passed, on.total(), with.passed, with.total())
			compare(t, on, with, s.differs)
		})
	}
}

// compare requires that the tests that fail on minicompat only are those of differs.
func compare(t *testing.T, on, with outcome, differs map[string]string) {
	t.Helper()
	broken := map[string]bool{}
	for _, name := range on.failed {
		broken[name] = true
	}
	found := map[string]bool{}
	for _, name := range with.failed {
		found[name] = true
		if broken[name] {
			continue
		}
		if why := differs[name]; why != "" {
			fmt.Printf("  differs: %s: %s\n", name, why)
			continue
		}
		assert.Fail(t, "fails on minicompat only", "%s\n%s", name, with.output[name])
	}
	for name := range differs {
		assert.True(t, found[name], "%s does not fail any more", name)
	}
}
