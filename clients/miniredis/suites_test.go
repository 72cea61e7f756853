package miniredis

import (
	"fmt"
	"slices"
	"strings"
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
		differs: map[string]string{
			"TestRedisXGroupSetID": "expects that XGROUP SETID is missing, as in miniredis",
			"TestRedis_GeoHash":    "expects that GEOHASH is missing, as in miniredis",
		},
	},
	{
		name:     "github.com/envoyproxy/ratelimit",
		packages: []string{"github.com/envoyproxy/ratelimit/test/redis"},
		differs: map[string]string{
			"TestNewClientImpl/WithPipelineWindow/auth_user_pass_fail":    asTexts,
			"TestNewClientImpl/WithoutPipelineWindow/auth_user_pass_fail": asTexts,
		},
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
			if len(on.failed) > 0 {
				return // a test of theirs has failed by chance
			}
			row := fmt.Sprintf("| %s | %d/%d | %d/%d |", s.name, on.passed, on.total(), with.passed, with.total())
			assert.True(t, strings.Contains(document(t), row), "docs/from-miniredis.md lacks %s", row)
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
	for i, name := range with.failed {
		found[name] = true
		ofSubtest := i+1 < len(with.failed) && strings.HasPrefix(with.failed[i+1], name+"/") && !strings.Contains(with.output[name], "_test.go:")
		if broken[name] || ofSubtest {
			continue
		}
		if differs[name] != "" {
			continue
		}
		assert.Fail(t, "fails on minicompat only", "%s\n%s", name, with.output[name])
	}
	for name, why := range differs {
		assert.True(t, found[name] || slices.Contains(byChance, why), "%s does not fail any more", name)
	}
}
