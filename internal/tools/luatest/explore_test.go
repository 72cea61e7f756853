package luatest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// Wherever explore runs code that does not end, the time-out ends it, and the next test works.
func TestExploreTimesOut(t *testing.T) {
	tier.Landing(t)
	dir := write(t, map[string]string{"x_test.lua": `
		local function forever() while true do end end
		local function ping() redis.call('PING') end
		it('client', function() explore{clients = {function() redis.call('PING') forever() end, ping}} end)
		it('begin of a client', function() explore{clients = {forever}} end)
		it('client that catches', function() explore{clients = {function() while true do pcall(forever) end end}} end)
		it('check', function() explore{clients = {ping}, check = forever, serializable = true} end)
		it('always', function() explore{clients = {ping}, always = forever} end)
		it('setup', function() explore{clients = {ping}, setup = forever} end)
		it('script', function() explore{clients = {function() script('while true do end'):run() end, ping}} end)
		it('goes on', function()
			assert.are.same({orders = 1, complete = true}, explore{clients = {ping}})
			assert.are.equal('PONG', redis.call('PING').ok)
		end)`})
	c := runAll(t, dir, soon(7))
	const late = ": error: stopped: it takes longer than 10s"
	require.Equal(t, []string{"client" + late, "begin of a client" + late, "client that catches" + late, "check" + late, "always" + late,
		"setup" + late, "script" + late, "goes on: passed"}, c.lines())
}

// A test says that not all orders have run.
func TestExploreIsNotComplete(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `it('large', function()
		local function incr() for _ = 1, 5 do redis.call('INCR', 'n') end end
		assert.is_false(explore{clients = {incr, incr}, max_orders = 10}.complete)
		assert.is_true(explore{clients = {incr, incr}, max_preemptions = 1}.orders > 1)
	end)`})
	c := runAll(t, dir, &luatest.Options{})
	require.Equal(t, []string{"large: passed"}, c.lines())
	require.Equal(t, "explore is not complete: the limit of 10 orders was reached; others may break it\n"+
		"explore is not complete: only orders with at most 1 preemptions were run\n", c.files[0].Results[0].Output)
}
