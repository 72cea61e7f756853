package difftest

import (
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// The tests of this file are random tests on the servers of other versions, each beside engines
// that follow it. REDMOON_SEED=n and the other variables mean what they mean in the tests on Redis
// 7.0, whose generators they use, with the commands and options that a later server adds.

// eachFuzzer calls play for every version that has an oracle.
func eachFuzzer(t *testing.T, play func(t *testing.T, f *fuzzer, visible commandSet, dumps []string)) {
	eachOracle(t, func(t *testing.T, s servers.Server, o *Oracle) {
		f, visible, dumps := startFuzzerOf(t, s, o)
		f.revive = func() error {
			f.oracle.Close()
			o, err := StartOracleOf(s)
			if err != nil {
				return err
			}
			t.Cleanup(o.Stop)
			f.oracle, err = newNetPipe(o.Addr)
			f.oracle.renamed = o.renamed
			return err
		}
		play(t, f, visible, dumps)
	})
}

// TestRandomCommandsOnServers is TestRandomCommands.
func TestRandomCommandsOnServers(t *testing.T) {
	tier.Nightly(t)
	count := tier.Number("REDMOON_COMMANDS", 20_000, fuzzLong)
	eachFuzzer(t, func(t *testing.T, f *fuzzer, visible commandSet, dumps []string) {
		randomCommands(t, f, visible, dumps, count)
	})
}

// TestRandomEventsOnServers is TestRandomEvents.
func TestRandomEventsOnServers(t *testing.T) {
	tier.Nightly(t)
	count := tier.Number("REDMOON_COMMANDS", 10_000, 40_000)
	eachFuzzer(t, func(t *testing.T, f *fuzzer, visible commandSet, dumps []string) {
		randomEvents(t, f, visible, dumps, count)
	})
}

// TestRandomExpiryOnServers is TestRandomExpiry.
func TestRandomExpiryOnServers(t *testing.T) {
	tier.Nightly(t)
	count := tier.Number("REDMOON_COMMANDS", 20_000, 60_000)
	eachFuzzer(t, func(t *testing.T, f *fuzzer, visible commandSet, dumps []string) {
		randomExpiry(t, f, visible, dumps, count)
	})
}

// TestRandomLuaOnServers is TestRandomLua.
func TestRandomLuaOnServers(t *testing.T) {
	tier.Nightly(t)
	seed, count := luagen.Settings(150, 300)
	eachOracle(t, func(t *testing.T, s servers.Server, _ *Oracle) { randomLua(t, s, seed, count) })
}

// ownCalls are first lines of random calls that leave out what is the oracle's own.
var ownCalls = map[servers.Server]string{
	// Redict has more names, so that tables have other orders, and another name for the handler.
	servers.Redis72: `local function part(of, names) local t = {} for name in names:gmatch('%S+') do t[name] = of[name] end return t end
local __redis__err__handler = rawget(_G, '__redict__err__handler') or rawget(_G, '__redis__err__handler')
local redis = part(redis, [[call pcall log sha1hex error_reply status_reply setresp set_repl acl_check_cmd breakpoint debug
  replicate_commands]])
local _G = setmetatable(part(_G, [[assert error getmetatable ipairs load loadstring next pairs pcall rawequal rawget rawset select
  setmetatable tonumber tostring type unpack xpcall string table math coroutine bit cjson cmsgpack struct KEYS ARGV]]),
  part(getmetatable(_G), '__index'))
`,
	// Valkey 8.0.2 lets scripts change the metatable of strings.
	servers.Valkey80: `local getmetatable = function(v) if type(v) == 'string' then return {} end return getmetatable(v) end
`,
}

// TestRandomCallsOnServers is TestRandomCalls.
func TestRandomCallsOnServers(t *testing.T) {
	tier.Nightly(t)
	seed, programs := luagen.Settings(75, 150)
	eachOracle(t, func(t *testing.T, s servers.Server, o *Oracle) {
		randomCalls(t, newPairOf(t, s, o), ownCalls[s], seed, programs)
	})
}

// TestRandomJSONOnServers is TestRandomJSON.
func TestRandomJSONOnServers(t *testing.T) {
	tier.Nightly(t)
	count := tier.Number("REDMOON_TEXTS", 1000, 4000)
	eachOracle(t, func(t *testing.T, s servers.Server, o *Oracle) {
		p := newPairOf(t, s, o)
		randomTexts(t, jsonPair{p.theirs, p.ours}, count)
	})
}
