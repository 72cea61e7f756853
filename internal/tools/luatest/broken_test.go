package luatest_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// brokenBeside are files in which a block is broken beside tests that pass, with the name of the
// block.
var brokenBeside = map[string]string{
	"inner": `describe('outer', function()
  describe('inner', function() misspelled() end)
end)`,
	"deep": `describe('a', function() describe('b', function() describe('deep', function() script('no_such_file.lua') end) end) end)`,
	"hook": `describe('outer', function() describe('hook', function() beforeEach(function() end) end) end)`,
	"late": `describe('outer', function() describe('late', function()
  it('has a test', function() end)
  error('and then fails')
end) end)`,
	"nameless": `describe('outer', function() describe('nameless', function() it(function() end) end) end)`,
	"set up": `describe('outer', function()
  setup(function() error('a setup that fails') end)
  it('does not run', function() end)
  describe('set up', function() misspelled() end)
end)`,
	"last":     `describe('outer', function() it('runs', function() end) describe('last', function() nobody.home() end) end)`,
	"insulate": `insulate('outer', function() insulate('insulate', function() misspelled() end) end)`,
}

// A block whose function fails is a failure of the run, whatever stands beside it and whatever the
// options choose.
func TestABrokenBlockFailsTheRun(t *testing.T) {
	const good = "describe('good', function() it('passes', function() assert.is_true(true) end) end)\n"
	for name, text := range brokenBeside {
		for where, source := range map[string]string{"alone": text, "before": text + "\n" + good, "behind": good + text} {
			for choice, opt := range map[string]*luatest.Options{
				"all": {}, "filter": {Filter: regexp.MustCompile("good")}, "filter out": {FilterOut: regexp.MustCompile("outer")},
				"no test": {Filter: regexp.MustCompile("nothing has this name")}, "shuffled": {Seed: 7}, "parallel": {Parallel: 4},
			} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, where, choice), func(t *testing.T) {
					c := runAll(t, write(t, map[string]string{"a_test.lua": source, "b_test.lua": good}), opt)
					require.Positive(t, c.summary.Counts.Bad(), c.lines())
					require.True(t, slices.ContainsFunc(c.files[0].Results, func(r luatest.Result) bool {
						return r.Status == luatest.Errored && slices.Contains(r.Names, name)
					}) || slices.ContainsFunc(c.files[1].Results, func(r luatest.Result) bool {
						return r.Status == luatest.Errored && slices.Contains(r.Names, name)
					}), c.lines())
				})
			}
		}
		files, err := luatest.Find([]string{write(t, map[string]string{"a_test.lua": good + text, "b_test.lua": good})})
		require.NoError(t, err)
		listed := 0
		err = luatest.List(context.Background(), files, &luatest.Options{}, func(string, int, string) { listed++ })
		require.ErrorContains(t, err, "a_test.lua:", name)
		require.GreaterOrEqual(t, listed, 2)
	}
}
