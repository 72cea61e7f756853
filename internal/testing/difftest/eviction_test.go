package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// evictionSides returns a connection to the oracle and one to Redmoon, by name, and the clock of
// Redmoon.
func evictionSides(t *testing.T) (map[string]Conn, *engine.VirtualClock) {
	t.Helper()
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	t.Cleanup(func() {
		theirs.Close()
		require.NoError(t, theRunner.Oracle.Reset())
	})
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rm.Stop()) })
	ours, err := rm.Open()
	require.NoError(t, err)
	t.Cleanup(func() { ours.Close() })
	return map[string]Conn{"oracle": theirs, "redmoon": ours}, rm.Clock
}

// usedMemory returns used_memory of INFO.
func usedMemory(t *testing.T, c Conn) int64 {
	t.Helper()
	return infoNumber(t, c, "memory", "used_memory")
}

func infoNumber(t *testing.T, c Conn, section, field string) int64 {
	t.Helper()
	for _, line := range strings.Split(ask(t, c, "INFO", section).text, "\r\n") {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "INFO has no "+field)
	return 0
}

const evictionKeys = 3000

// fillToEvict adds key i for each i below evictionKeys. It was used i*10 seconds ago, or has the
// frequency 255-i/12, and expires i+1000 seconds from now. So all policies except the random ones
// should evict keys with large numbers, and volatile-ttl keys with small ones.
const fillToEvict = `
local dump = redis.call('dump', 'v')
redis.call('del', 'v')
for j = 0, ARGV[1] - 1 do
	local i = (j * 7919) % ARGV[1]
	local option, value = 'IDLETIME', i * 10
	if ARGV[2] == 'lfu' then option, value = 'FREQ', 255 - math.floor(i / 12) end
	redis.call('restore', i, (1000 + i) * 1000, dump, option, value)
end`

// evictionTrials is how often a trial is repeated before its average counts: both sides draw keys
// at random, so one trial may differ by as much as a mistake would.
const evictionTrials = 8

// asWell repeats a trial until the average of ours is at most margin above the oracle's. trial
// returns the share of keys that each side treated wrongly.
func asWell(t *testing.T, policy string, margin float64, trial func(side string, n uint64) float64) {
	t.Helper()
	oracle, ours := 0.0, 0.0
	for n := 1; ; n++ {
		oracle, ours = oracle+trial("oracle", uint64(n)), ours+trial("redmoon", uint64(n))
		more := (ours - oracle) / float64(n)
		t.Logf("%s, trial %d: wrong on average: oracle %.3f, here %.3f", policy, n, oracle/float64(n), ours/float64(n))
		if more <= margin && (n >= 3 || !tier.IsNightly()) {
			return
		}
		require.Less(t, n, evictionTrials, "%s: %.3f more is wrong", policy, more)
	}
}

// TestEvictionChoosesAsWell evicts half of the keys and counts those that should have stayed: not
// clearly more than on the oracle.
func TestEvictionChoosesAsWell(t *testing.T) {
	sides, _ := evictionSides(t)
	for _, policy := range []string{"allkeys-lru", "volatile-lru", "allkeys-lfu", "volatile-lfu", "volatile-ttl"} {
		asWell(t, policy, 0.03, func(side string, _ uint64) float64 {
			c := sides[side]
			ask(t, c, "CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", policy, "maxmemory-eviction-tenacity", "100")
			ask(t, c, "FLUSHALL")
			before := usedMemory(t, c)
			ask(t, c, "SET", "v", strings.Repeat("v", 200))
			ask(t, c, "EVAL", fillToEvict, "0", strconv.Itoa(evictionKeys), policy[len(policy)-3:])
			full := usedMemory(t, c)
			require.Greater(t, full, before)
			evicted := infoNumber(t, c, "stats", "evicted_keys")
			ask(t, c, "CONFIG", "SET", "maxmemory", strconv.FormatInt((full+before)/2, 10))
			ask(t, c, "CONFIG", "SET", "maxmemory", "0") // the oracle counts its replies too
			left := map[string]bool{}
			for _, key := range ask(t, c, "KEYS", "*").kids {
				left[key.text] = true
			}
			gone := evictionKeys - len(left)
			require.EqualValues(t, gone, infoNumber(t, c, "stats", "evicted_keys")-evicted)
			require.InDelta(t, evictionKeys/2, gone, evictionKeys/4)
			n := 0
			for i := range evictionKeys {
				should := i >= evictionKeys-gone
				if policy == "volatile-ttl" {
					should = i < gone
				}
				if !should && !left[strconv.Itoa(i)] {
					n++
				}
			}
			return float64(n) / float64(gone)
		})
	}
}

// TestEvictionKeepsWhatIsUsed reads keys, some far more often than others, and sets missing ones,
// with room for a quarter of them. The share of keys found must not be clearly smaller than on the
// oracle.
func TestEvictionKeepsWhatIsUsed(t *testing.T) {
	sides, clock := evictionSides(t)
	const keys, reads = 1000, 8000
	took := time.Duration(0) // by the oracle, whose keys grow old meanwhile: ours do as well
	for _, policy := range []string{"allkeys-lfu", "allkeys-lru", "allkeys-random"} {
		asWell(t, policy, 0.04, func(side string, n uint64) float64 {
			c := sides[side]
			ask(t, c, "CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", policy)
			ask(t, c, "FLUSHALL")
			before := usedMemory(t, c)
			value := strings.Repeat("v", 500)
			ask(t, c, "EVAL", "for i = 1, ARGV[1] do redis.call('set', 'fill:' .. i, ARGV[2]) end", "0", strconv.Itoa(keys/4), value)
			room := usedMemory(t, c)
			require.Greater(t, room, before)
			ask(t, c, "FLUSHALL")
			ask(t, c, "CONFIG", "SET", "maxmemory", strconv.FormatInt(room, 10))
			zipf := rand.NewZipf(rand.New(rand.NewPCG(n, 1)), 1.1, 5, keys-1)
			missed, began := 0, Present()
			for i := range reads {
				key := fmt.Sprint("key:", zipf.Uint64())
				if side == "redmoon" {
					clock.Advance(took / reads)
				}
				if ask(t, c, "GET", key).text != value {
					ask(t, c, "SET", key, value)
					if i >= reads/4 {
						missed++
					}
				}
			}
			took = Present().Sub(began)
			require.Positive(t, infoNumber(t, c, "stats", "evicted_keys"))
			require.LessOrEqual(t, usedMemory(t, c), room+1<<16)
			return float64(missed) / float64(reads-reads/4)
		})
	}
}
