package difftest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// callsPrelude begins a script of random calls: c records the results of a call, as the names of
// known values and the contents of tables; the locals are values that later lines use again.
const callsPrelude = `local out, names = {}, {}
local function named(path, t)
  for k, v in pairs(t) do
    if type(v) == 'function' or type(v) == 'table' then names[v] = names[v] or path .. k end
  end
end
for _, l in ipairs{'string', 'table', 'math', 'coroutine', 'redis', 'bit', 'cjson', 'cmsgpack', 'struct'} do named(l .. '.', _G[l]) end
named('', _G)
names[getmetatable('')], names[getmetatable(_G)] = 'of strings', 'of globals'
local function show(v, depth)
  local t = type(v)
  if t == 'string' then return string.format('%q', v:gsub('0x%x%x%x%x%x%x+', 'address'):sub(1, 200)) end
  if t == 'number' then return string.format('%.14g', v) end
  if names[v] then return names[v] end
  if t == 'nil' or t == 'boolean' then return tostring(v) end
  if t ~= 'table' or depth > 2 then return t end
  local p = {}
  for k, w in next, v do p[#p + 1] = show(k, depth + 1) .. '=' .. show(w, depth + 1) end
  table.sort(p)
  return '{' .. table.concat(p, ' ') .. '}' .. #v
end
local function c(...)
  local n, p, values = select('#', ...), {}, {}
  for i = 1, n do
    local v = select(i, ...)
    if type(v) == 'string' then v = v:gsub('0x%x%x%x%x%x%x+', 'address') end
    p[i], values[i] = show(v, 0), v
  end
  out[#out + 1] = table.concat(p, ' | ')
  return unpack(values, 1, n)
end
local mt = {__index = function(t, k) if type(k) == 'string' then return k .. '!' end end, __tostring = function() return 'shown' end,
  __concat = function() return 'joined' end, __call = function(self, ...) return 'called', ... end, __unm = function() return 'minus' end,
  __add = function(a, b) return type(a) .. type(b) end, __len = function() return 9 end, __eq = function() return true end,
  __lt = function() return true end, __le = function() return false end, __metatable = 'hidden'}
local bad = {__index = function() error('bad index') end, __newindex = function() error('bad newindex') end, __tostring = function() return {} end,
  __call = 5, __concat = 1, __lt = {}, __eq = function() error({err = 'bad eq'}) end}
local t1, t2, t3, t4 = {1, 2, 3, x = 'y'}, setmetatable({4, 5}, mt), setmetatable({}, bad), {}
local v1, v2, v3
local function id(...) return ... end
local function raise() error('raised') end
local function raisetable() error({err = 'TABLE raised'}) end
local function yielder(...) return coroutine.yield(...) end
local co = coroutine.create(function(...) local x = coroutine.yield(...) error(x) end)
local w = coroutine.wrap(function(...) while true do coroutine.yield(...) end end)
local _
`

var (
	calledFunctions = strings.Fields(`assert error getmetatable ipairs loadstring next pairs pcall rawequal rawget rawset select
		setmetatable tonumber tostring
		type unpack xpcall __redis__err__handler getmetatable(_G).__index id raise raisetable w load string.byte string.char string.find string.format string.gfind
		string.gmatch string.gsub string.len string.lower string.match string.rep string.reverse string.sub string.upper table.concat table.foreach
		table.foreachi table.getn table.insert table.maxn table.remove table.setn table.sort math.abs math.acos math.asin math.atan2 math.ceil math.deg
		math.exp math.floor math.fmod math.frexp math.ldexp math.log10 math.log math.max math.min math.modf math.pow math.rad math.sin math.sqrt math.mod
		math.randomseed coroutine.create coroutine.resume coroutine.running coroutine.status coroutine.wrap coroutine.yield redis.call redis.pcall
		redis.log redis.sha1hex redis.error_reply redis.status_reply redis.setresp redis.set_repl redis.acl_check_cmd redis.breakpoint redis.debug
		redis.replicate_commands bit.arshift bit.band bit.bnot bit.bor bit.bswap bit.bxor bit.lshift bit.rol bit.ror bit.rshift bit.tobit bit.tohex
		cjson.decode cjson.encode cjson.new cjson.encode_sparse_array cjson.encode_max_depth cjson.decode_max_depth cjson.encode_number_precision
		cjson.encode_keep_buffer cjson.encode_invalid_numbers cjson.decode_invalid_numbers cmsgpack.pack cmsgpack.unpack cmsgpack.unpack_limit
		cmsgpack.unpack_one struct.pack struct.size struct.unpack`)
	numberArguments = strings.Fields("0 1 2 3 -1 -2 0.5 1.5 10 255 1e10 2^31 2^53 1/0 -1/0 0/0 -0.5")
	textArguments   = []string{"''", "'x'", "'abc'", "'12'", "'0x10'", "' 7 '", `'a\0b'`, "'%d'", "'%s'", "'%q'", "'%5.2f'", "'^a'",
		"'(a)(b)'", "'%1'",
		"'[a'", "'get'", "'set'", "'incr'", "'k'", "'nosuch'", "'ping'", "'__index'", "'x y'", "'return 1'", "'return ...'", "'error(1)'",
		`'{"a":[1,null]}'`, `'\147\1\2\3'`, "'>I2'", "'c0'", "'#'", "'collect'", "'err'", "'ok'", `'\27Lua'`}
	objectArguments = []string{"nil", "true", "false", "t1", "t2", "t3", "t4", "{}", "{1,nil,3}", "{err='E x'}", "{ok='fine'}", "{double=1.5}",
		"{map={a=1}}",
		"mt", "bad", "_G", "redis", "string", "math", "cjson", "getmetatable('')", "getmetatable(_G)", "KEYS", "ARGV", "cjson.null", "co", "w",
		"id", "raise",
		"raisetable", "yielder", "function() end", "function(...) return ... end", "function(a) return a end", "function(a,b) return b end",
		"coroutine.create(yielder)", "coroutine.create(id)", "coroutine.wrap(yielder)", "print", "os", "tostring", "type", "redis.call",
		"redis.pcall", "pcall",
		"error", "string.rep", "select", "setmetatable", "rawset", "v1", "v2", "v3", "loadstring('return ...')"}
	readers = []string{"id", "raise", "raisetable", "tostring", "nil", "t1", "function() return nil end",
		"coroutine.wrap(function() coroutine.yield('return ') coroutine.yield('7') end)"}
	handlers  = []string{"id", "tostring", "raise", "type", "function(e) return e end", "redis.error_reply", "t2", "__redis__err__handler"}
	operators = []string{"(%s)(%s)", "({%[1]s})[%[2]s]", "(%s)[%s]", "(%s)..(%s)", "(%s)+(%s)", "(%s)<(%s)", "(%s)<=(%s)", "(%s)==(%s)",
		"(%s)%%(%s)", "(%s)^(%s)",
		"(%s):x(%s)", "(%s):format(%s)", "#(%s)-(%s)", "-(%s)..(%s)"}
	stores = []string{"t1=%s", "t4=%s", "redis=%s", "KEYS=%s", "x=%s", "_G=%s", "t1.x=%s", "redis.call=%s", "math[%[1]s]=%[1]s",
		"(%[1]s).x=%[1]s", "(%[1]s)[%[1]s]=1", "mt.__index=%s"}
	generators = []string{"id", "w", "t2", "nil", "next,t1", "pairs(t1)", "redis", "1", "string.gmatch('ab','.')", "_G",
		"coroutine.wrap(yielder)"}
)

// argument makes an argument for the function. It leaves out numbers that would take much memory or
// time.
func (m *callMaker) argument(function string) string {
	switch m.rng.IntN(4) {
	case 0:
		if strings.HasPrefix(function, "table.") || function == "unpack" || function == "string.rep" {
			return pick(m.rng, numberArguments[:9])
		}
		return pick(m.rng, numberArguments)
	case 1:
		return pick(m.rng, textArguments)
	}
	return pick(m.rng, objectArguments)
}

// anyCall is a function and its arguments.
func (m *callMaker) anyCall() (function string, arguments []string) {
	function = pick(m.rng, calledFunctions)
	switch function {
	case "load": // a reader that never ends would be called without end
		return function, []string{pick(m.rng, readers)}
	case "string.rep":
		return function, []string{pick(m.rng, textArguments), pick(m.rng, numberArguments[:9])}
	}
	for range m.rng.IntN(5) {
		arguments = append(arguments, m.argument(function))
	}
	return function, arguments
}

// anyLine is a statement that records the result of a protected call, operation, assignment or
// loop.
func (m *callMaker) anyLine() string {
	function, arguments := m.anyCall()
	call := strings.Join(append([]string{function}, arguments...), ",")
	any := func() string { return m.argument("table.") }
	switch m.rng.IntN(10) {
	case 0:
		return fmt.Sprintf("c(xpcall(function() return %s(%s) end,%s))", function, strings.Join(arguments, ","), pick(m.rng, handlers))
	case 1:
		return fmt.Sprintf("_,%s=c(pcall(%s))", pick(m.rng, []string{"v1", "v2", "v3"}), call)
	case 2, 3:
		return "c(pcall(function() return " + fmt.Sprintf(pick(m.rng, operators), any(), any()) + " end))"
	case 4:
		return "c(pcall(function() " + fmt.Sprintf(pick(m.rng, stores), any()) + " end))"
	case 5:
		return fmt.Sprintf("c(pcall(function() for a,b in %s do c(a,b) break end end))", pick(m.rng, generators))
	}
	return "c(pcall(" + call + "))"
}

var (
	addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)
	lengths   = regexp.MustCompile(`\$[0-9]+(\r\n[^\r\n]*address)`)
)

// mask removes the addresses from a raw reply, which differ in each run.
func mask(raw string) string {
	return lengths.ReplaceAllString(addresses.ReplaceAllString(raw, "address"), "$1")
}

// TestRandomCalls calls everything that scripts can reach with arguments of all kinds. It compares
// the results, and checks that the next script sees no trace of them. The seed is fixed;
// REDMOON_SEED=n plays another, REDMOON_PROGRAMS=n sets how many scripts. A difference is cut down.
func TestRandomCalls(t *testing.T) {
	seed, programs := luagen.Settings(75, 150)
	randomCalls(t, newPair(t), "", seed, programs)
}

// randomCalls runs scripts of random calls, after some lines of their own, on both sides of a pair.
func randomCalls(t *testing.T, p *pair, first string, seed uint64, programs int) {
	m := &callMaker{rand.New(rand.NewPCG(seed, 1))}
	play := func(head string, lines []string) (theirs, ours string) {
		p.same(t, "FLUSHALL")
		p.same(t, "SCRIPT", "FLUSH") // which resets cjson
		theirs, ours = p.do(t, "EVAL", head+first+callsPrelude+strings.Join(lines, "\n")+"\nreturn out", "2", "k1", "k2", "a1", "a2")
		return mask(theirs), mask(ours)
	}
	for range programs {
		head := pick(m.rng, []string{"", "", "redis.setresp(3)\n"})
		var lines []string
		for range 25 {
			lines = append(lines, m.anyLine())
		}
		lines = append(lines, fmt.Sprintf("out[#out+1]=%s", m.argument("")))
		if theirs, ours := play(head, lines); theirs == ours {
			continue
		}
		for i := 0; i < len(lines); {
			fewer := slices.Delete(slices.Clone(lines), i, i+1)
			if theirs, ours := play(head, fewer); theirs != ours {
				lines = fewer
			} else {
				i++
			}
		}
		theirs, ours := play(head, lines)
		require.Equal(t, theirs, ours, "seed %d: %s%s", seed, head, strings.Join(lines, "\n"))
	}
}
