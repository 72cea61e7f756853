package luatest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/reply"
)

// failure returns the first problem of the only test of a file.
func failure(t *testing.T, source string, opt *luatest.Options) string {
	t.Helper()
	c := runAll(t, write(t, map[string]string{"x_test.lua": source}), opt)
	require.Len(t, c.files[0].Results, 1)
	require.NotEmpty(t, c.files[0].Results[0].Problems)
	return c.files[0].Results[0].Problems[0].Message
}

// The values of a failure are made small.
func TestPropertiesShrink(t *testing.T) {
	for source, want := range map[string]string{
		"gen.integer(), function(n) assert.is_true(n < 17) end":                                                       "with 17",
		"gen.integer(), function(n) assert.is_true(n > -17) end":                                                      "with -17",
		"gen.integer(5, 900), function(n) error('always') end":                                                        "with 5",
		"gen.list(gen.integer(0, 100)), function(l) assert.is_true(#l < 3) end":                                       "with { 0, 0, 0 }",
		"gen.string(), function(s) assert.is_nil(s:find('%z')) end":                                                   `with "\000"`,
		"gen.list(gen.integer(0, 9)), function(l) for i, n in ipairs(l) do assert(n ~= 7) end end":                    "with { 7 }",
		"gen.integer(0, 50), gen.integer(0, 50), function(a, b) assert.is_true(a < 9 or b < 8) end":                   "with 9, 8",
		"gen.keyspace('a', 'b'), function(k) fixture(k) assert.are_not.equal(redis.call('TYPE', 'b').ok, 'hash') end": `with { b = { a = "" } }`,
		"function() error('always', 0) end":                                                                           "without values",
	} {
		text := failure(t, "property('p', "+source+")", &luatest.Options{Values: 5})
		require.True(t, strings.HasPrefix(text, want+"\n(run "), "%s: %s", source, text)
	}
}

// A seed repeats a failure, that of the options or of the property.
func TestPropertiesRepeat(t *testing.T) {
	const source = "gen.integer(0, 1000000), gen.string(), function(n, s) assert.is_true(n % 7 ~= 3 or #s < 4) end)"
	with := func(options string, seed uint64) string {
		return failure(t, "property('p', "+options+source, &luatest.Options{Values: seed})
	}
	require.Equal(t, with("", 42), with("", 42))
	require.Contains(t, with("", 42), "seed 42 repeats it")
	require.Equal(t, with("", 42), with("{seed = 42}, ", 7))
	require.NotEqual(t, with("", 42), with("", 43))
}

func TestPropertiesRunAsOftenAsTheOptionsSay(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `local n = 0
		property('p', function() n = n + 1 end)
		property('q', {runs = 3}, function() n = n + 10 end)
		it('counts', function() assert.are.equal(37, n) end)`})
	require.Equal(t, []string{"p: passed", "q: passed", "counts: passed"}, runAll(t, dir, &luatest.Options{Runs: 7}).lines())
}

// What a generator does wrong, and code that does not end, is a problem of the property only.
func TestPropertiesThatCannotRun(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		property('hangs in a generator', gen.map(gen.integer(), function() while true do end end), function() end)
		property('fails in a generator', gen.map(gen.integer(), function() error('boom', 0) end), function() end)
		property('refuses all', gen.filter(gen.integer(), function() return false end), function() end)
		property('waits', gen.integer(), function() pending('later') end)
		it('goes on', function() redis.call('PING') end)`})
	require.Equal(t, []string{"hangs in a generator: error: stopped: it takes longer than 10s", "fails in a generator: error: boom",
		"refuses all: error: gen.filter has refused 100 values in a row", "waits: pending: later", "goes on: passed"},
		runAll(t, dir, soon(1)).lines())
}

// odd is a server that answers INCRBY of 3 otherwise.
type odd struct{ s *engine.Session }

func (o odd) Do(ctx context.Context, args []string) (reply.Value, error) {
	if strings.EqualFold(args[0], "INCRBY") && args[2] == "3" {
		args = []string{args[0], args[1], "4"}
	}
	v, err := o.s.DoStrings(ctx, args...)
	if v.IsError() {
		err = nil
	}
	return v, err
}

// Every run of a property is compared with a server, with the same values.
func TestPropertiesAgainstAServer(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	s, err := e.NewSession()
	require.NoError(t, err)
	dir := write(t, map[string]string{"x_test.lua": `
		property('differs', {runs = 50}, gen.integer(0, 5), function(n) redis.call('INCRBY', 'k', n) end)
		property('is the same', gen.integer(0, 2), function(n) redis.call('INCRBY', 'k', n) end)
		property('fails', gen.integer(0, 2), function(n) redis.call('INCRBY', 'k', n) assert.is_true(n < 2) end)
		it('is compared', function() redis.call('INCRBY', 'k', 3) end)`})
	c := runAll(t, dir, &luatest.Options{Against: odd{s}})
	results := c.files[0].Results
	require.Equal(t, luatest.Differs, results[0].Status)
	require.Contains(t, results[0].Comparison.Differences[0], "with 3: ")
	require.Equal(t, luatest.Passed, results[1].Status)
	require.Empty(t, results[1].Comparison.Differences)
	require.Equal(t, luatest.Failed, results[2].Status)
	require.Equal(t, luatest.Differs, results[3].Status)
}
