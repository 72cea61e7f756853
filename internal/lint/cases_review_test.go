package lint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What the review of published scripts and of typical mistakes has brought up: classes of findings
// that were wrong, and of mistakes that were not found.
func TestReviewedCases(t *testing.T) {
	for source, want := range map[string]string{
		// variables that are assigned again, parameters, loops
		"local v\nfor _, x in ipairs(redis.call('HMGET', KEYS[1], 'a', 'b')) do if x then v = x end end\nreturn v < ARGV[1]": "3:8 texts-ordered",
		"local v = redis.call('GET', KEYS[1])\nv = v and tonumber(v) or 0\nreturn v > 1":                                     "",
		"local v = ARGV[1]\nif v == 'x' then v = 3 end\nreturn v > 1":                                                        "",
		"local v = 1\nv = v .. 'x'\nreturn v > ARGV[1]":                                                                      "",
		"local a, b = ARGV[1], ARGV[2]\na, b = b, a\nreturn a + b":                                                           "",
		"local a, b = 1, ARGV[1]\na, b = b, a\nreturn a + b":                                                                 "",
		"local function f(n) return n * 2 end\nreturn f(ARGV[1])":                                                            "1:28 text-arithmetic",
		"local function f(n) return n * 2 end\nreturn f(ARGV[1]) + f(1)":                                                     "",
		"local function f(n) return n end\nreturn f(ARGV[1]) == 1":                                                           "2:8 text-as-number",
		"local function f(n) if n == 0 then return 0 end return f(n - 1) end\nreturn f(3) == '1'":                            "",
		"local function f() return redis.call('GET', KEYS[1]) end\nreturn f() == nil":                                        "2:8 false-compared-with-nil",
		"local s = redis.call('GET', KEYS[1])\nif s == nil then s = 0 end\nreturn s":                                         "2:4 false-compared-with-nil",
		"local s\nif ARGV[1] == 'a' then s = redis.call('GET', KEYS[1]) end\nreturn s == nil":                                "",
		"local a, b = unpack(redis.call('HMGET', KEYS[1], 'a', 'b'))\nreturn a < b":                                          "2:8 texts-ordered",
		"local a, b = unpack(redis.call('HMGET', KEYS[1], 'a', 'b'))\nreturn b == nil":                                       "",
		"local f = function(x) return x end\nf = nil\nreturn f == nil":                                                       "",
		"local n = 0\nlocal function n2() n = ARGV[1] end\nn2()\nreturn n == 1":                                              "",
		// numbers in texts
		"return redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[1])":                                     "1:51 text-arithmetic",
		"return redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[1]))":                           "",
		"return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] + 1":                                "",
		"return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[1] + 1":                                "1:8 text-arithmetic",
		"return redis.call('ZPOPMIN', KEYS[1])[2] * 2":                                                   "",
		"local s = redis.call('ZSCORE', KEYS[1], ARGV[1])\nif not s then return 0 end\nreturn s * 2":     "",
		"return redis.call('ZSCORE', KEYS[1], ARGV[1]) * 2":                                              "1:8 text-arithmetic",
		"return redis.call('ZINCRBY', KEYS[1], 1, ARGV[1]) / 2":                                          "",
		"for i = 1, 3 do redis.call('SET', KEYS[1], 1e3) end\nreturn redis.call('LINDEX', KEYS[1], 5.0)": "",
		"return redis.call('GET', 'k' .. 1)":                                                             "1:26 undeclared-key",
		// conditions
		"local ok = redis.call('SISMEMBER', KEYS[1], ARGV[1]) and 1 or 0\nreturn ok":          "1:12 number-as-condition",
		"local n = redis.call('HLEN', KEYS[1]) or 0\nreturn n":                                "",
		"local v = redis.call('GET', KEYS[1]) and 1 or 0\nreturn v":                           "",
		"if redis.call('DEL', KEYS[1]) == 1 and redis.call('DEL', KEYS[2]) then return 1 end": "1:40 number-as-condition",
		// keys
		"for _, id in ipairs(ARGV) do redis.call('DEL', KEYS[1] .. id) end\nfor _, id in ipairs(ARGV) do redis.call('GET', KEYS[1] .. id) end": "1:48 built-key",
		"for _, k in ipairs({'a'}) do redis.call('DEL', k) end\nfor _, k in ipairs(ARGV) do redis.call('DEL', k) end":                          "1:48 undeclared-key 2:47 undeclared-key",
		"-- redmoon:disable-file built-key\nredis.call('SET', '{a}:' .. ARGV[1], 1)\nreturn redis.call('GET', '{b}:' .. ARGV[1])":              "3:26 cross-slot",
		"-- redmoon:disable-file built-key\nredis.call('SET', '{a}:' .. ARGV[1], 1)\nreturn redis.call('GET', '{a}:x:' .. ARGV[1])":            "",
		"-- redmoon:disable-file built-key\nredis.call('SET', 'a:' .. ARGV[1], 1)\nreturn redis.call('GET', 'b:' .. ARGV[1])":                  "",
		"#!lua flags=allow-cross-slot-keys\n-- redmoon:disable-file undeclared-key\nredis.call('SET', 'a', 1)\nreturn redis.call('GET', 'b')":  "",
		"#!lua name=l\n-- redmoon:disable-file undeclared-key\nredis.register_function('f', function() return redis.call('INCR', 'a') end)\n" +
			"redis.register_function('g', function() return redis.call('INCR', 'b') end)": "",
		"#!lua name=l\n-- redmoon:disable-file undeclared-key\nlocal function set(k) redis.call('SET', 'a', 1) end\n" +
			"redis.register_function('f', function() set() return redis.call('INCR', 'b') end)": "4:73 cross-slot",
		"for i = 0, #KEYS do redis.call('DEL', KEYS[i]) end":         "1:39 key-index",
		"for i = 0, #KEYS - 1 do redis.call('DEL', KEYS[i + 1]) end": "",
		// ranges and unpack
		"return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])":                                                                        "1:8 unbounded-read",
		"return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])":                                                                       "",
		"return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 10)":                                                        "",
		"return redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE')":                                                                    "1:8 unbounded-read",
		"return redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 10)":                                                    "",
		"return redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])":                                                                              "",
		"return redis.call('ZREM', KEYS[1], unpack(redis.call('ZRANGE', KEYS[1], 0, -tonumber(ARGV[1]))))":                                    "1:36 unbounded-unpack",
		"return redis.call('ZRANGE', KEYS[1], -10, -1)":                                                                                       "",
		"return redis.call('LRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)":                                                                      "",
		"local t, r = redis.call('HKEYS', KEYS[1]), {}\nfor i = 1, #t do r[#r + 1] = t[i] end\nreturn redis.call('HDEL', KEYS[1], unpack(r))": "3:36 unbounded-unpack",
		"local t = redis.call('HKEYS', KEYS[1])\nfor i = 1, #t, 10 do\n  local r = {}\n  for j = i, i + 9 do r[#r + 1] = t[j] end\n" +
			"  redis.call('HDEL', KEYS[1], unpack(r))\nend": "1:11 unbounded-read",
		// the order of pairs
		"local t, r = {}, {}\nfor _, v in ipairs(ARGV) do t[#t + 1] = v end\nfor _, v in pairs(t) do r[#r + 1] = v end\nreturn r":       "",
		"local t, r = {}, {}\nfor i = 1, #ARGV do t[i] = ARGV[i] end\nfor _, v in pairs(t) do r[#r + 1] = v end\nreturn r":              "",
		"local t, r = {}, {}\nfor _, v in ipairs(ARGV) do t[v] = true end\nfor k in pairs(t) do r[#r + 1] = k end\nreturn r":            "3:22 pairs-order",
		"local t, r = {}, {}\nfor _, v in ipairs(ARGV) do t[v] = true end\nfor k in next, t do r[#r + 1] = k end\nreturn r":             "3:21 pairs-order",
		"local t, s = cjson.decode(ARGV[1]), ''\nfor k in pairs(t) do s = s .. k end\nreturn s":                                         "2:22 pairs-order",
		"local t, n = cjson.decode(ARGV[1]), 0\nfor _, v in pairs(t) do n = n + v end\nreturn n":                                        "",
		"local t = cjson.decode(ARGV[1])\nfor k, v in pairs(t) do\n  local s = ''\n  s = s .. k\n  redis.call('SADD', KEYS[1], s)\nend": "",
		// arguments
		"return redis.call('DEL', KEYS)":                                                                     "1:26 bad-argument",
		"return redis.call('SET', KEYS[1], ARGV[1] == 'x')":                                                  "1:35 bad-argument",
		"return redis.call('SET', KEYS[1], ARGV[1] or nil)":                                                  "",
		"local v = cjson.decode(ARGV[1])\nreturn redis.call('SET', KEYS[1], v.x)":                            "",
		"return redis.call('EXPIRE', KEYS[1], '10s')":                                                        "1:38 bad-option",
		"return redis.call('PEXPIRE', KEYS[1], 1.5)":                                                         "1:39 bad-option",
		"return redis.call('ZADD', KEYS[1], 'a', 1)":                                                         "1:36 bad-option",
		"return redis.call('ZADD', KEYS[1], '0x10', 1)":                                                      "",
		"return redis.call('ZRANGEBYSCORE', KEYS[1], '(1', '+inf', 'LIMIT', 0, 1)":                           "",
		"return redis.call('BITFIELD', KEYS[1], 'SET', 'u8', '#1', 5)":                                       "",
		"local h = redis.call('HGETALL', KEYS[1]) -- redmoon:disable unbounded-read\nreturn h.name":          "2:8 list-by-name",
		"local h = redis.pcall('LRANGE', KEYS[1], 0, 9)\nreturn h.err":                                       "",
		"redis.setresp(3)\nreturn redis.call('HGETALL', KEYS[1]).map.name -- redmoon:disable unbounded-read": "",
		// values that may be missing
		"if tonumber(redis.call('GET', KEYS[1])) < 5 then return 1 end":                                            "1:4 missing-value",
		"local n = redis.call('GET', KEYS[1])\nif n and tonumber(n) < 5 then return 1 end":                         "",
		"local n = tonumber(redis.call('GET', KEYS[1]))\nif not n then return 0 end\nreturn n + 1":                 "",
		"if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end\nreturn tonumber(redis.call('GET', KEYS[1])) + 1": "",
		"return tonumber(redis.call('GET', KEYS[1]) or 0) + 1":                                                     "",
		// clusters and replicas
		"return redis.call('COPY', KEYS[1], KEYS[2], 'DB', 0)":                      "",
		"return redis.call('COPY', KEYS[1], KEYS[2], 'DB', 1)":                      "1:8 cluster-refused",
		"return redis.call('SORT_RO', KEYS[1], 'BY', 'w_*')":                        "1:8 cluster-refused",
		"return redis.call('SORT_RO', KEYS[1], 'BY', 'nosort', 'LIMIT', 0, 9)":      "",
		"return redis.call('SWAPDB', 0, 1)":                                         "1:8 cluster-refused",
		"return redis.call('FLUSHALL')":                                             "1:8 cluster-refused",
		"redis.call('INCR', KEYS[2])\nreturn redis.call('SORT', KEYS[1])":           "",
		"return redis.call('SORT', KEYS[1], 'STORE', KEYS[2])":                      "",
		"return redis.call('BITFIELD', KEYS[1], 'GET', 'u8', 0)":                    "1:19 replica-refused",
		"return redis.call('BITFIELD', KEYS[1], 'GET', 'u8', 0, 'SET', 'u8', 0, 1)": "",
		"return redis.call('GETEX', KEYS[1])":                                       "1:19 replica-refused",
		"return redis.call('GEORADIUS', KEYS[1], 1, 1, 1, 'm')":                     "1:19 replica-refused",
		"#!lua name=l\nredis.register_function{function_name='f', callback=function() return redis.call('EVAL', 'return 1', 0) end, flags={'no-writes'}}": "2:82 refused-command",
		// money
		"local price = tonumber(ARGV[1])\nreturn redis.call('HSET', KEYS[1], 'half', price / 2)":             "2:44 float-money",
		"local price = tonumber(ARGV[1])\nreturn redis.call('HSET', KEYS[1], 'half', math.floor(price / 2))": "",
	} {
		assert.Equal(t, want, strings.Join(places(t, Config{}, source), " "), source)
	}
}

// A message names what the key is made of, also if a variable grows.
func TestMessages(t *testing.T) {
	for source, want := range map[string]string{
		"local k = KEYS[1]\nif ARGV[1] then k = k .. ARGV[1] end\nreturn redis.call('GET', k)": "the key k of GET is built from another key; pass it in KEYS",
		"local k = 'a:'\nk = k .. ARGV[1]\nreturn redis.call('GET', k)":                        "the key k of GET is built by the script; pass it in KEYS",
		"return redis.call('SET', KEYS[1], nil)":                                               "nil cannot be an argument of SET",
		"return redis.call('SET', KEYS[1], {})":                                                "{} is a table, which cannot be an argument of SET",
	} {
		l, err := New(Config{})
		assert.NoError(t, err)
		found := l.Lint(Script{Source: source})
		assert.Len(t, found, 1, source)
		for _, f := range found {
			assert.Equal(t, want, f.Message, source)
		}
	}
}
