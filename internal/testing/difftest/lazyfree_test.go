package difftest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// fillLazy writes a value of each type and size: keys such as hash65, and big-hash65, whose
// elements are too long for a listpack.
const fillLazy = `
redis.setresp(3)
for _, big in ipairs {'', 'big-'} do
	local long = big ~= '' and string.rep('x', 900) or ''
	for _, n in ipairs(ARGV) do
		for i = 1, n do
			redis.call('hset', big .. 'hash' .. n, i, i .. long)
			redis.call('sadd', big .. 'set' .. n, i .. long)
			redis.call('zadd', big .. 'zset' .. n, i, i .. long)
			redis.call('rpush', big .. 'list' .. n, i .. long)
			redis.call('xadd', big .. 'stream' .. n, i .. '-1', 'f', i .. long)
		end
		redis.call('set', big .. 'string' .. n, string.rep('x', n) .. long)
		redis.call('xgroup', 'create', big .. 'stream' .. n, 'g1', 0)
		redis.call('xgroup', 'create', big .. 'stream' .. n, 'g2', 0)
		redis.call('xreadgroup', 'group', 'g1', 'c', 'count', math.ceil(n / 2), 'streams', big .. 'stream' .. n, '>')
	end
end
return 'filled'`

// TestLazyFreedObjects compares lazyfreed_objects of INFO memory: how many values, keys and scripts
// were removed that Redis frees in the background.
func TestLazyFreedObjects(t *testing.T) {
	theirs, ours := servedPair(t)
	sizes := []string{"64", "65"} // Redis frees larger values than 64 elements in the background
	if tier.IsNightly() {
		sizes = []string{"1", "64", "65", "600"}
	}
	count := func(c Conn) int64 {
		patience.Until(t, func() bool { return infoNumber(t, c, "memory", "lazyfree_pending_objects") == 0 }, "objects are not freed")
		return infoNumber(t, c, "memory", "lazyfreed_objects")
	}
	options := "lazyfree-lazy-user-del lazyfree-lazy-server-del lazyfree-lazy-expire lazyfree-lazy-eviction lazyfree-lazy-user-flush"
	for _, option := range append([]string{"none"}, strings.Fields(options)...) {
		for _, each := range []string{
			"UNLINK %", "DEL %", "GETDEL %", "GETEX % PXAT 1", "PEXPIREAT % 1", "EXPIRE % -1", "SET % v",
			"SET % v GET", "GETSET % v",
			"RENAME string64 %", "COPY string64 % REPLACE",
			"SUNIONSTORE % set64", "SUNIONSTORE % nosuch", "SUNION % set64", "SDIFF % set64", "SINTER % set64",
			"SINTERSTORE d % set65", "ZUNION 1 %", "ZDIFFSTORE d 1 %", "ZUNIONSTORE % 1 zset65",
			"SORT set64 STORE %", "BITOP NOT % nosuch", "GEORADIUS nosuch 1 1 1 m STORE %", "LTRIM % 1 0", "SPOP % 1000", "SPOP % 590",
			"ZREMRANGEBYRANK % 0 -1", "XTRIM % MAXLEN 0", "HDEL % 1", "MOVE % 1", "SETRANGE % 0 x", "PFMERGE %", "XGROUP DESTROY % g1",
			"DEBUG SET-ACTIVE-EXPIRE 1", "EVAL redis.call('unlink',KEYS[1]) 1 %", "EVAL redis.call('unlink',KEYS[1])error() 1 %",
		} {
			for _, c := range []Conn{theirs, ours} {
				for o := range strings.FieldsSeq(options) {
					value := "no"
					if o == option {
						value = "yes"
					}
					ask(t, c, "CONFIG", "SET", o, value)
				}
				ask(t, c, "FLUSHALL", "SYNC")
				require.Equal(t, "filled", ask(t, c, append([]string{"EVAL", fillLazy, "0"}, sizes...)...).text)
				count(c)
				ask(t, c, "CONFIG", "RESETSTAT")
			}
			for _, kind := range strings.Fields("hash set zset list stream string") {
				for _, size := range sizes {
					for _, big := range []string{"", "big-"} {
						key := big + kind + size
						request := strings.Fields(strings.ReplaceAll(each, "%", key))
						require.Equal(t, ask(t, theirs, request...).mark, ask(t, ours, request...).mark, "%s", request)
						require.Equal(t, count(theirs), count(ours), "%s after %s", option, request)
					}
				}
			}
		}
		for _, after := range []string{"FLUSHDB", "FLUSHDB SYNC", "FLUSHDB ASYNC", "FLUSHALL", "FLUSHALL SYNC", "FLUSHALL ASYNC", "SCRIPT FLUSH",
			"SCRIPT FLUSH SYNC", "SCRIPT FLUSH ASYNC", "FUNCTION FLUSH", "FUNCTION FLUSH SYNC", "FUNCTION FLUSH ASYNC",
			"DEBUG RELOAD", "CONFIG SET maxmemory 1 maxmemory-policy allkeys-lru"} {
			for _, c := range []Conn{theirs, ours} {
				ask(t, c, "FLUSHALL", "SYNC")
				require.Equal(t, "filled", ask(t, c, append([]string{"EVAL", fillLazy, "0"}, sizes...)...).text)
				ask(t, c, "SELECT", "1")
				ask(t, c, "SET", "k", "v")
				ask(t, c, "SELECT", "0")
				for i := range 70 {
					ask(t, c, "SCRIPT", "LOAD", "return "+strconv.Itoa(i))
					name := "f" + strconv.Itoa(i)
					ask(t, c, "FUNCTION", "LOAD", "REPLACE", "#!lua name="+name+"\nredis.register_function('"+name+"',function()end)")
				}
				count(c)
				ask(t, c, "CONFIG", "RESETSTAT")
				ask(t, c, strings.Fields(after)...)
				if strings.Contains(after, "maxmemory") {
					ask(t, c, "GET", "k")
					patience.Until(t, func() bool { return ask(t, c, "DBSIZE").text == "0" }, "keys are not evicted")
					ask(t, c, "CONFIG", "SET", "maxmemory", "0")
				}
			}
			require.Equal(t, count(theirs), count(ours), "%s %s", option, after)
		}
	}
}
