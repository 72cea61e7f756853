package luatest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// A report says that writes stay only if a failed script has written something that stays.
func TestWhatAFailedScriptLeaves(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		local function fails(text) return function() script(text .. " error('no')"):run({ 'k' }) end end
		it('writes', fails("redis.call('SET', KEYS[1], 1)"))
		it('changes nothing', fails("redis.call('DEL', KEYS[1])"))
		it('reads', fails("redis.call('GET', KEYS[1])"))
		it('goes on', function()
			script("redis.call('SET', KEYS[1], 1)"):run({ 'k' })
			error('in the test')
		end)
		describe('with rollback', function()
			server { rollback = true }
			it('writes', fails("redis.call('SET', KEYS[1], 1)"))
		end)`})
	stays := map[string]bool{}
	for _, r := range runAll(t, dir, &luatest.Options{}).files[0].Results {
		require.Len(t, r.Problems, 1, r.Name())
		stays[r.Name()] = r.Problems[0].Script.Stays
	}
	require.Equal(t, map[string]bool{"writes": true, "changes nothing": false, "reads": false, "goes on": false,
		"with rollback writes": false}, stays)
}

// A fault that has let its commands fail is over: steps of explore commute again.
func TestAFaultThatIsUsedUpIsOver(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `
		local function get(key) return function() redis.pcall('GET', key) end end
		local function orders() return explore { clients = { get('a'), get('b') } }.orders end
		it('is over', function()
			fail_next('GET')
			assert.are.equal('ERR injected fault', redis.pcall('GET', 'k').err)
			assert.are.equal(1, orders())
		end)
		it('is not over', function()
			fail_next('GET')
			assert.are.equal(2, orders())
		end)
		it('is none', function()
			fail_next('GET', 'ERR no', 0)
			assert.is_false(redis.call('GET', 'k'))
			assert.are.equal(1, orders())
		end)`})
	require.Equal(t, []string{"is over: passed", "is not over: passed", "is none: passed"}, runAll(t, dir, &luatest.Options{}).lines())
}

// A key exists in the last millisecond of its life, and its time to live is shown.
func TestTheLastMillisecondOfAKey(t *testing.T) {
	dir := write(t, map[string]string{"x_test.lua": `it('is shown', function()
		redis.call('SET', 'k', 'v', 'EX', 60)
		clock.advance('60s')
		assert.are.same({ k = { ['$value'] = 'v', ['$ttl'] = '0s' } }, keyspace())
		clock.advance('1ms')
		assert.keyspace {}
	end)`})
	require.Equal(t, []string{"is shown: passed"}, runAll(t, dir, &luatest.Options{}).lines())
}
