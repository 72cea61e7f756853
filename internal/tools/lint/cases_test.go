package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// places returns the findings of a script as "line:column rule".
func places(t testing.TB, c Config, source string) []string {
	l, err := New(c)
	require.NoError(t, err)
	var list []string
	for _, f := range l.Lint(Script{Source: source}) {
		list = append(list, placeOf(f))
	}
	return list
}

// What a rule finds besides its example, and what looks like it but is right.
func TestCases(t *testing.T) {
	for source, want := range map[string]string{
		// aliases, pcall, functions
		"local c = redis.call\nreturn c('GTE', KEYS[1])":                                          "2:10 unknown-command",
		"local r = redis\nreturn r.pcall('GET')":                                                  "2:8 wrong-arity",
		"local ok, e = pcall(redis.call, 'GET')\nreturn ok and e":                                 "1:15 wrong-arity",
		"local ok = pcall(redis.call, 'INCR', KEYS[1])\nif not ok then return 0 end\nreturn 1":    "",
		"local f = redis['call']\nreturn f('NOPE')":                                               "2:10 unknown-command",
		"return redis.call(ARGV[1], KEYS[1])":                                                     "",
		"return redis.call('CONFIG', 'NOPE')":                                                     "1:29 unknown-command",
		"return redis.call('OBJECT', 'ENCODING', KEYS[1])":                                        "",
		"return redis.call('SET', KEYS[1], unpack(ARGV))":                                         "",
		"return redis.call('HSET', KEYS[1], unpack(ARGV))":                                        "1:36 unbounded-arguments",
		"return redis.call('GET', KEYS[1], ARGV[1], unpack(ARGV))":                                "1:8 wrong-arity",
		"return redis.call('ZADD', KEYS[1], 'NX', 1, ARGV[1])":                                    "",
		"return redis.call('ZADD', KEYS[1], 'NXX', 1, ARGV[1])":                                   "1:36 bad-option",
		"return redis.call('SET', KEYS[1], ARGV[1], ARGV[2], 10)":                                 "",
		"return redis.call('ZRANGEBYSCORE', KEYS[1], '(1', '+inf', 'LIMIT', 0, 10, 'WITHSCORES')": "",
		// keys

		"local k = KEYS[1] or 'x'\n" +
			"return redis.call('GET', k)": "2:26 undeclared-key",

		"local k\nif ARGV[1] == 'a' then k = KEYS[1] else k = KEYS[2] end\nreturn redis.call('GET', k)": "",
		"for _, k in ipairs(KEYS) do redis.call('DEL', k) end":                                          "",
		"for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end":                                            "",
		"for _, k in ipairs({KEYS[1], 'x'}) do redis.call('DEL', k) end":                                "1:57 undeclared-key",
		"return redis.call('DEL', unpack(KEYS))":                                                        "",

		"return redis.call('DEL', unpack(ARGV))": "1:26 unbounded-arguments 1:26 undeclared-key",

		"local function f(k) return redis.call('GET', k) end\nreturn f(KEYS[1])": "",

		"local function f(k) return redis.call('GET', k) end\n" +
			"return f(ARGV[1])": "1:46 undeclared-key",

		"local function f(k) return redis.call('GET', k) end\nlocal g = f\nreturn g(ARGV[1])": "",
		"return redis.call('GET', string.format('%s:x', KEYS[1]))":                            "1:26 built-key",

		"local id = redis.call('RPOP', KEYS[1])\n" +
			"return redis.call('DEL', id)": "2:26 undeclared-key",

		"return redis.call('EVAL', 'return 1', 1, 'x')":                  "1:19 refused-command",
		"return redis.call('ZUNIONSTORE', KEYS[1], 2, KEYS[2], ARGV[1])": "1:55 undeclared-key",
		"return redis.call('MSET', KEYS[1], 'a', 'b', 'c')":              "1:41 undeclared-key",
		"return KEYS[-1]":               "1:8 key-index",
		"return ARGV[1.5]":              "1:8 key-index",
		"local t = {}\nreturn t[0]":     "",
		"-- KEYS[1]: a\nreturn KEYS[2]": "2:8 key-index",
		"-- KEYS[1] set of users, KEYS[2] list of packets\nreturn KEYS[2]":                   "",
		"-- KEYS[1] set of users, and KEYS[2] list; ARGV[1] user\nreturn KEYS[3] or ARGV[2]": "2:8 key-index 2:19 key-index",
		"--   KEYS    1 a  2 b,\n--           c  3 d\nreturn KEYS[4]":                        "3:8 key-index",
		"--   ARGV    1 a  2... more\nreturn ARGV[7]":                                        "",
		"-- see KEYS[1] of the other script\nreturn KEYS[2]":                                 "",
		"return redis.call('SADD', KEYS[1], KEYS[2] .. ':x')":                                "",
		"redis.call('SADD', KEYS[1], KEYS[2])\nreturn redis.call('DEL', KEYS[2])":            "",
		// globals and locals
		"x = 1\nreturn x":                                                     "1:1 undeclared-global",
		"function f() end":                                                    "1:10 undeclared-global",
		"string.trim = function() end":                                        "1:1 read-only-library",
		"return os.time()":                                                    "1:8 undeclared-global",
		"local _, b = unpack(ARGV)\nreturn b":                                 "",
		"local a, b = unpack(ARGV)\nreturn b":                                 "",
		"local a, b = unpack(ARGV)\nreturn a":                                 "1:10 unused-local",
		"local a = 1\na = 2":                                                  "1:7 unused-local",
		"return table.unpack(KEYS)":                                           "1:8 missing-field",
		"return (table.unpack or unpack)(KEYS)":                               "",
		"if table.unpack then return table.unpack(KEYS) end":                  "",
		"if type(math.type) == 'function' then return math.type(1) end":       "",
		"redis.log(redis.LOG_WARN, 'x') return 1":                             "1:11 missing-field",
		"return redis.Call('GET', KEYS[1])":                                   "1:8 missing-field",
		"local c = cjson return c.stringify({})":                              "1:24 missing-field",
		"return math.type(1)":                                                 "1:8 missing-field",
		"return string.len('x') + #cjson.encode(cjson.null)":                  "",
		"#!lua name=x\nredis.register_function('f', function() return 1 end)": "",
		"redis.log('warning', 'x') return 1":                                  "1:1 failing-call",
		"redis.log(redis.LOG_WARNING) return 1":                               "1:1 failing-call",
		"redis.log(4, 'x') return 1":                                          "1:1 failing-call",
		"redis.log('2', 'x') redis.log(3, ...) return 1":                      "",
		"redis.setresp(4) return 1":                                           "1:1 failing-call",
		"redis.setresp(3) redis.setresp('2') return 1":                        "",
		"return redis.sha1hex()":                                              "1:8 failing-call",
		"return redis.sha1hex(KEYS[1])":                                       "",
		"return cjson.encode({}, 1)":                                          "1:8 failing-call",
		"return cjson.decode(redis.call('GET', KEYS[1]) or '')":               "",
		"return tonumber()":                                                   "1:8 failing-call",
		"local k = KEYS[1] if k == 'none' then k = '' end if k ~= '' then return redis.call('GET', k) end":  "",
		"local k = KEYS[1] if k == 'none' then k = 'x' end if k ~= '' then return redis.call('GET', k) end": "1:92 undeclared-key",
		"local function f() return f() end return 1":                                                        "1:16 unused-local",
		"local x = 1\nlocal x = x + 1\nreturn x":                                                            "",

		"local x = 1\n" +
			"do local x = 2 redis.log(redis.LOG_NOTICE, x) end\nreturn x": "2:10 shadowing",

		"local function f(...) return arg.n end\nlocal function g(...) return select('#', ...) end\nreturn f() + g()": "",
		// flow
		"while true do\n  if redis.call('LPOP', KEYS[1]) then break end\nend\nreturn 1": "",
		"while true do\n  redis.call('LPOP', KEYS[1])\nend\nreturn 1":                   "4:1 unreachable-code",
		"error('x')\nreturn 1": "2:1 unreachable-code",
		"if ARGV[1] then return 1 else error('x') end\nreturn 2":                                    "2:1 unreachable-code",
		"if ARGV[1] then return 1 elseif ARGV[2] then return 2 end\nreturn 2":                       "",
		"local t, r = {a = 1}, {}\nfor k in pairs(t) do r[#r + 1] = k end\nreturn r":                "2:22 pairs-order",
		"local t, r = {a = 1}, {}\nfor k in pairs(t) do r[#r + 1] = k end\ntable.sort(r)\nreturn r": "",
		"local r = {}\nfor _, k in pairs(KEYS) do r[#r + 1] = k end\nreturn r":                      "",
		// replies
		"local v = redis.call('GET', KEYS[1])\nif not v or v == nil then return 0 end\nreturn v": "",

		"local v = redis.call('HMGET', KEYS[1], 'a', 'b')\n" +
			"return v[2] ~= nil": "2:8 false-compared-with-nil",

		"local v = redis.call('LRANGE', KEYS[1], 0, 9)\nreturn v[1] == nil": "",
		"redis.setresp(3)\nreturn redis.call('GET', KEYS[1]) == nil":        "",
		"return redis.call('LPOP', KEYS[1], 2)[1] == nil":                   "",
		"return not redis.call('SISMEMBER', KEYS[1], ARGV[1])":              "1:12 number-as-condition",
		"if redis.call('GET', KEYS[1]) then return 1 end\nreturn 0":         "",
		"return redis.call('EXISTS', KEYS[1]) == '1'":                       "1:8 text-as-number",
		"return redis.call('EXISTS', KEYS[1]) == true":                      "1:8 text-as-number",
		"return ARGV[1] == 1":                                                                      "1:8 text-as-number",
		"return ARGV[1] == '1'":                                                                    "",
		"return tonumber(ARGV[1]) > 1":                                                             "",
		"return (redis.call('GET', KEYS[1]) or 0) > 1":                                             "1:8 text-as-number",
		"return tonumber(redis.call('GET', KEYS[1]) or 0) > 1":                                     "",
		"local n = redis.call('GET', KEYS[1])\nn = tonumber(n)\nreturn n > 1":                      "",
		"local s = redis.call('SET', KEYS[1], 1, 'NX', 'EX', 9)\nif s then return 1 end\nreturn 0": "",
		"return redis.call('SET', KEYS[1], 1, 'NX', 'EX', 9) == 'OK'":                              "1:8 status-as-text",
		"return redis.call('SET', KEYS[1], 1)['ok'] == 'OK'":                                       "",
		"return ARGV[1] + 0":                                                                       "",
		"local t = redis.call('TIME')\nreturn t[1] * 1000000 + t[2]":                               "",
		"local t = redis.call('TIME')\nreturn t[1] * 1000000000":                                   "2:8 big-number",
		"return 9007199254740992":                                                                  "",
		"return 2 ^ 53":                                                                            "",
		"return 1e300":                                                                             "",
		"return 9007199254740992 + 1":                                                              "1:8 big-number",
		// growth, locks, money
		"return redis.call('KEYS', '*')":              "1:8 cluster-refused 1:8 unbounded-read",
		"return redis.call('LRANGE', KEYS[1], 0, 99)": "",

		"return redis.call('DEL', unpack(redi" +
			"s.call('SMEMBERS', KEYS[1]), 1, 100))": "1:26 undeclared-key 1:33 unbounded-read",

		"redis.call('SETNX', KEYS[1], ARGV[1])\nreturn redis.call('EXPIRE', KEYS[1], 10)":               "",
		"local k = KEYS[1]\nredis.call('SETNX', k, ARGV[1])\nreturn redis.call('PEXPIRE', KEYS[1], 10)": "",
		"return redis.call('SETNX', KEYS[1], 0)":                                                        "",
		"return redis.call('SET', KEYS[1], ARGV[1], 'NX')":                                              "1:8 lock-without-ttl",
		"return redis.call('INCRBYFLOAT', KEYS[1], 0.5)":                                                "",
		"local price = tonumber(ARGV[1])\nreturn price / 3":                                             "2:8 float-money",
		"local price = tonumber(ARGV[1])\nreturn math.floor(price / 3)":                                 "",
		"return tonumber(ARGV[1]) / 2":                                                                  "1:8 returned-fraction",
		// libraries

		"#!lua name=l\n" +
			"redis.register_function('f', function(keys, args) return redis.call('SET', keys[1], args[1]) end)": "",

		"#!lua name=l\n" +

			"redis.register_function('f', function(keys, args" +
			") return redis.call('SET', args[1], keys[1]) end)": "2:76 undeclared-key 2:85 value-in-keys",

		"#!lua name=l\n" +
			"redis.register_function('f', function() return redis.call('SET', KEYS[1], 1) end)": "2:66 undeclared-global",

		"#!lua name=l\n" +

			"local function g(k) redis.call('DEL', k) end\nredis.register_function{function_name='f', " +
			"callback=function(keys) g(keys[1]) end, flags={'no-writes'}}": "2:21 write-in-no-writes",

		"#!lua flags=no-writes\n" +
			"return redis.call('PFCOUNT', KEYS[1])": "2:8 write-in-no-writes",

		"#!lua flags=nope\nreturn 1": "1:1 syntax-error",
		"return 1 +\nlocal":          "2:1 syntax-error",
	} {
		assert.Equal(t, want, strings.Join(places(t, Config{}, source), " "), source)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct{ redis, source, want string }{
		{"7.0", "return redis.call('HEXPIRE', KEYS[1], 1, 'FIELDS', 1, 'f')", "1:19 newer-command"},
		{"7.4", "return redis.call('HEXPIRE', KEYS[1], 1, 'FIELDS', 1, 'f')", ""},
		{"6.0", "return redis.call('SET', KEYS[1], 1, 'EX', 9, 'GET')", "1:47 newer-command"},
		{"6.2", "return redis.call('SET', KEYS[1], 1, 'EX', 9, 'GET')", ""},
		{"6.0", "return redis.call('LPOP', KEYS[1], 2)", "1:36 newer-command"},
		{"6.2", "#!lua\nreturn redis.call('INCR', KEYS[1])", "1:1 newer-command"},
		{"6.2", "return redis.REDIS_VERSION", "1:8 newer-command"},
		{"4.0", "local t = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], t[1])", "2:8 random-write"},
		{"5.0", "local t = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], t[1])", ""},
	} {
		assert.Equal(t, c.want, strings.Join(places(t, Config{Redis: c.redis}, c.source), " "), c.redis+": "+c.source)
	}
}

func TestCommentsDisableRules(t *testing.T) {
	const bad = "redis.call('GET', ARGV[1])"
	for source, want := range map[string]string{
		bad + " -- redmoon:disable":                                         "",
		bad + " -- redmoon:disable undeclared-key -- a reason":              "",
		bad + " --[[ redmoon:disable undeclared-key ]]":                     "",
		"-- redmoon:disable-next-line built-key, undeclared-key\n" + bad:    "1:1 bad-directive",
		"-- redmoon:disable-next-line undeclared-key\n" + bad + "\n" + bad:  "",
		"-- redmoon:disable-file undeclared-key\n\n" + bad:                  "",
		bad + " -- redmoon:disable nope":                                    "1:19 undeclared-key 1:28 bad-directive",
		bad + " -- redmoon:off":                                             "1:19 undeclared-key 1:28 bad-directive",
		"return 1 -- redmoon:disable unused-local":                          "1:10 bad-directive",
		"return '-- redmoon:disable nope'":                                  "",
		bad + " --[==[ redmoon:disable undeclared-key ]==]":                 "",
		bad + " --redmoon:disable undeclared-key":                           "",
		bad + " ---- redmoon:disable":                                       "",
		"--[[ redmoon:disable-next-line\n undeclared-key -- why ]]\n" + bad: "",
		"-- redmoon:disable-next-line undeclared-key\r\n" + bad + "\r\n":    "",
		bad + "\n-- redmoon:disable undeclared-key":                         "1:19 undeclared-key 2:1 bad-directive",
		"-- redmoon:":                         "1:1 bad-directive",
		"-- redmoon: disable":                 "",
		"--[[ redmoon:disable-file ]] " + bad: "",
		"#!lua\n-- redmoon:disable-file missing-no-writes, undeclared-key\n" + bad:       "",
		"#!lua -- redmoon:disable\n" + bad:                                               "1:1 syntax-error",
		"local t = {'-- redmoon:disable',\n" + bad + "}\nreturn t":                       "2:19 undeclared-key",
		"-- redmoon:disable-file undeclared-key\nreturn 1":                               "",
		"-- redmoon:disable undeclared-key\n-- redmoon:disable-next-line undeclared-key": "1:1 bad-directive 2:1 bad-directive",
		"local x = 1 -- redmoon:disable unused-local, unused-local\nreturn 1":            "",
		"local x = 1 --[[ redmoon:disable unused-local ]] local y = 2 return 1":          "",
	} {
		assert.Equal(t, want, strings.Join(places(t, Config{}, source), " "), source)
	}
}

func TestConfigurationChangesRules(t *testing.T) {
	l, err := New(Config{Severities: map[string]string{"undeclared-key": "error", "unused-local": "off"}, Globals: []string{"helper"}})
	require.NoError(t, err)
	found := l.Lint(Script{Source: "local x = helper(1)\nredis.call('GET', ARGV[1])"})
	require.Len(t, found, 1)
	require.Equal(t, Error, found[0].Severity)
}

func TestConfigurationIsChecked(t *testing.T) {
	for want, c := range map[string]Config{
		`there is no rule "nope"`: {Severities: map[string]string{"nope": "off"}},
		`rule built-key: a severity is off, info, warning or error, not "loud"`: {Severities: map[string]string{"built-key": "loud"}},
		"version 9 of Redis: known are 2.6 to 8.0":                              {Redis: "9"},
		`"7.x" is not a version of Redis`:                                       {Redis: "7.x"},
		`globals: "a b" is not a name of Lua`:                                   {Globals: []string{"a b"}},
	} {
		_, err := New(c)
		assert.EqualError(t, err, want)
	}
}

func TestRepairs(t *testing.T) {
	l, err := New(Config{})
	require.NoError(t, err)
	for source, want := range map[string]string{

		"local v = redis.call('GET', KEYS[1])\n" +
			"if v == nil then return 1 end\nreturn v": "local v = redis.call('GET', KEYS[1])\nif v == false then return 1 end\nreturn v",

		"local a = 1\nlocal b = ARGV[1]\nreturn 2": "return 2",

		"local a = redis.call('INCR', KEYS[1])\n" +
			"return 2": "local a = redis.call('INCR', KEYS[1])\nreturn 2",

		"if ARGV[1] > 5 then return 1 end\n" +
			"return 0": "if tonumber(ARGV[1]) > 5 then return 1 end\nreturn 0",

		"if ARGV[1] == 5 then return 1 end\n" +
			"return 0": "if ARGV[1] == 5 then return 1 end\nreturn 0",

		"do local a = {1, x = 'y'}; redis.call('DEL', KEYS[1]) end": "do  redis.call('DEL', KEYS[1]) end",
	} {
		got, n := Apply(source, l.Lint(Script{Source: source}))
		assert.Equal(t, want, got)
		require.Equal(t, want != source, n > 0)
		again, n := Apply(got, l.Lint(Script{Source: got}))
		require.Equal(t, got, again, "a second run")
		require.Zero(t, n)
	}
}

func TestFindingsAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range MaxFindings + 500 {
		fmt.Fprintf(&b, "do local x%d = 1 end\n", i)
	}
	require.Len(t, places(t, Config{}, b.String()), MaxFindings)
}
