package difftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// walkScript lists all that can be reached from the values in roots, one line each: the path, the
// type, the value if it is not an object, and for an object that was seen before its first path. It
// goes through tables, by next and by pairs, through metatables, and through the environments of
// functions where there is a getfenv.
const walkScript = `local out, seen = {}, {}
local function name(k) return type(k) == 'string' and k or '[' .. tostring(k) .. ']' end
local function walk(path, v)
  local t = type(v)
  local line = path .. ' ' .. t
  if t == 'nil' or t == 'boolean' or t == 'number' or t == 'string' then
    line = line .. ' ' .. tostring(v)
  elseif seen[v] then
    out[#out + 1] = line .. ' = ' .. seen[v]
    return
  else
    seen[v] = path
  end
  out[#out + 1] = line
  if t ~= 'string' then
    local mt = getmetatable(v)
    if mt ~= nil then walk(path .. '<metatable>', mt) end
  end
  if t == 'function' and rawget(_G, 'getfenv') then walk(path .. '<environment>', rawget(_G, 'getfenv')(v)) end
  if t == 'table' then
    local keys, again, rest = {}, 0, 0
    for k in next, v do keys[#keys + 1] = k end
    for k in pairs(v) do again = again + 1 end
    if again ~= #keys then out[#out + 1] = path .. ' differs: ' .. #keys .. ' ' .. again end
    table.sort(keys, function(a, b) return name(a) < name(b) end)
    for _, k in ipairs(keys) do
      if rawget(v, k) ~= v[k] then out[#out + 1] = path .. '.' .. name(k) .. ' differs' end
      walk(path .. '.' .. name(k), v[k])
    end
  end
end
walk('_G', _G)
walk('text<metatable>', getmetatable(''))
walk('number<metatable>', getmetatable(1))
walk('nil<metatable>', getmetatable(nil))
walk('boolean<metatable>', getmetatable(true))
walk('function', function() end)
walk('thread', coroutine.create(function() end))
walk('cjson', cjson.new())
walk('chunk', loadstring('return 1'))
walk('reply', redis.pcall('nosuch'))
walk('pairs', {pairs({})})
walk('ipairs', {ipairs({})})
walk('gmatch', string.gmatch('', ''))
walk('wrap', coroutine.wrap(function() end))
walk('varargs', {...})
return out`

// reachable are names that scripts or other versions of Lua or Redis know, for what cannot be
// listed.
var reachable = strings.Fields(`_G _VERSION _ENV assert bit bit32 cjson cmsgpack collectgarbage coroutine debug dofile error
	gcinfo getfenv getmetatable
	io ipairs jit load loadfile loadstring math module newproxy next os package pairs pcall print rawequal rawget rawlen rawset redis require select server
	setfenv setmetatable string struct table tonumber tostring type unpack utf8 warn xpcall arg KEYS ARGV keys args __redis__err__handler __LIBRARY_API__
	__GLOBALS_API__ __ERROR_HANDLER__ REGISTRY_LOAD_CTX_NAME redis.register_function redis.call redis.pcall redis.log redis.LOG_DEBUG redis.LOG_VERBOSE
	redis.LOG_NOTICE redis.LOG_WARNING redis.REDIS_VERSION redis.REDIS_VERSION_NUM redis.setresp redis.sha1hex redis.error_reply redis.status_reply
	redis.set_repl redis.REPL_NONE redis.REPL_AOF redis.REPL_SLAVE redis.REPL_REPLICA redis.REPL_ALL redis.acl_check_cmd redis.breakpoint redis.debug
	redis.replicate_commands redis.nosuch redis.__index ('').rep ('').dump ('').format ('').nosuch (0).x (nil).x (redis.log).x`)

// TestReach lists everything that scripts can reach, and libraries when they are loaded and when
// they are called. The lists must be equal here and on the oracle.
func TestReach(t *testing.T) {
	p := newPair(t)
	first := p.same(t, "EVAL", walkScript, "2", "k1", "k2", "a")
	require.Contains(t, first, "_G.string.rep function")
	require.Contains(t, first, "_G.redis.call function")
	for _, name := range []string{"os", "io", "debug", "package", "require", "dofile", "loadfile", "print", "setfenv", "getfenv", "newproxy",
		"module"} {
		require.NotContains(t, first, "_G."+name+" ")
	}
	for _, args := range [][]string{
		{"EVAL_RO", walkScript, "1", "k"}, {"EVAL", "#!lua flags=no-writes\n" + walkScript, "0"}, {"EVAL", "redis.setresp(3)\n" + walkScript,
			"0"},
		{"FUNCTION", "LOAD", "#!lua name=walk\nlocal function f(...)\n" + walkScript + "\nend\nredis.register_function('walk', f)\n" +
			"redis.register_function{function_name = 'walk_ro', callback = f, flags = {'no-writes'}}"},
		{"FCALL", "walk", "2", "k1", "k2", "a"}, {"FCALL_RO", "walk_ro", "0"},
		{"EVAL", walkScript, "2", "k1", "k2", "a"},
	} {
		again := p.same(t, args...)
		if args[0] == "EVAL" && args[1] == walkScript {
			require.Equal(t, first, again, "something has stayed behind")
		}
	}
	// While a library is loaded, nothing can list what exists, so the test tries names.
	there := 0
	for _, name := range reachable {
		load := fmt.Sprintf("#!lua name=l\nlocal v = %s\nredis.register_function('f', function() return type(v) end)", name)
		if strings.HasPrefix(p.same(t, "FUNCTION", "LOAD", "REPLACE", load), "$") {
			there++
		}
		p.same(t, "FCALL", "f", "0")
		later := fmt.Sprintf("#!lua name=l\nredis.register_function('f', function() return type(%s) end)", name)
		p.same(t, "FUNCTION", "LOAD", "REPLACE", later)
		p.same(t, "FCALL", "f", "0")
		kept := fmt.Sprintf("#!lua name=l\nlocal redis = redis redis.register_function('f', function() return type(%s) end)", name)
		p.same(t, "FUNCTION", "LOAD", "REPLACE", kept)
		p.same(t, "FCALL", "f", "0")
		p.same(t, "EVAL", fmt.Sprintf("return type(%s)", name), "0")
		for _, change := range []string{"%s = 1", "%s.x = 1", "%s.x.y = 1", "(%s).x = 1"} {
			if change[0] == '%' && strings.HasPrefix(name, "(") {
				continue
			}
			line := fmt.Sprintf(change, name)
			p.same(t, "EVAL", line, "0")
			p.same(t, "FUNCTION", "LOAD", "REPLACE", "#!lua name=l\n"+line)
			p.same(t, "FUNCTION", "LOAD", "REPLACE", "#!lua name=l\nredis.register_function('f', function() "+line+" end)")
			p.same(t, "FCALL", "f", "0")
		}
	}
	require.Greater(t, there, 5)
	require.Less(t, there, len(reachable)/2)
}
