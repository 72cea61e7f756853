package luabridge

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/internal/limits"
	"github.com/redmoon-lua/redmoon/reply"
)

// shares is the beginning of a script that has little in memory and stands for much.
const shares = "local t = {} for i = 1, 40 do t = {t, t} end local s, l = ('x'):rep(8e6), {} for i = 1, 100 do l[i] = s end "

// growing are scripts that make much out of little, each by one call of a library function or by
// one conversion.
var growing = map[string]string{
	"cjson.encode of shared tables":     shares + "return #cjson.encode(t)",
	"cjson.encode of shared strings":    shares + "return #cjson.encode(l)",
	"cjson.encode of escapes":           "return #cjson.encode(('\\1'):rep(3e7))",
	"cjson.encode of what is not there": "cjson.encode_sparse_array(false, 0) return #cjson.encode({[2147483647] = 1})",
	"cjson.decode of tables":            "return #cjson.decode('[' .. ('[],'):rep(5e6) .. '1]')",
	"cjson.decode of an array":          "return #cjson.decode('[' .. ('1,'):rep(1e7) .. '1]')",
	"cjson.decode of objects":           "return #cjson.decode('[' .. ('{\"a\":1},'):rep(1e6) .. '1]')",
	"cjson.decode of strings":           "return #cjson.decode('[' .. ('\"\",'):rep(5e6) .. '1]')",
	"cmsgpack.pack of shared tables":    "local t = {} for i = 1, 10 do t = {t, t, t, t, t, t, t, t, t, t} end return #cmsgpack.pack(t)",
	"cmsgpack.pack of shared strings":   shares + "return #cmsgpack.pack(l)",
	"cmsgpack.unpack of tables":         "return #cmsgpack.unpack('\\221\\255\\255\\255\\255' .. ('\\144'):rep(1e7))",
	"cmsgpack.unpack of an array":       "return #cmsgpack.unpack('\\221\\255\\255\\255\\255' .. ('\\1'):rep(3e7))",
	"struct.pack":                       shares + "return #struct.pack(('s'):rep(100), unpack(l))",
	"struct.pack of zeros":              "return #struct.pack(('x'):rep(4e7))",
	"table.concat":                      shares + "return #table.concat(l)",
	"table.concat with separators":      shares + "return #table.concat({'', '', '', '', '', '', '', '', '', '', ''}, s)",
	"string.rep":                        shares + "return #s:rep(10)",
	"string.format":                     shares + "return #string.format(('%s'):rep(100), unpack(l))",
	"string.format of a long format":    "return #string.format(('x'):rep(4e7))",
	"string.format of quotes":           "return #string.format('%q', ('\\0'):rep(2e7))",
	"string.gsub":                       "return #string.gsub(('x'):rep(1000), 'x', ('y'):rep(1e6))",
	"string.gsub of captures":           "return #string.gsub(('x'):rep(1e6), '.*', ('%0'):rep(1000))",
	"string.gsub with a function":       shares + "return #string.gsub(('x'):rep(100), 'x', function() return s end)",
	"concatenation": shares +
		"return #(s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s)",
	"concatenation with a metamethod": "local s = ('x'):rep(2e7) return setmetatable({}, {__concat = function(a, b) return #a end}) and " +
		"#(s .. s .. s .. s)",
	"reply of shared tables":  shares + "return t",
	"reply of shared strings": shares + "return l",
	"reply of shared maps":    "redis.setresp(3) local t = {} for i = 1, 40 do t = {map = {a = t, b = t}} end return t",
	"reply of shared sets":    "redis.setresp(3) local t = {} for i = 1, 40 do t = {set = {[t] = 1, [{t}] = 1}} end return t",
	"reply of shared replies": "local r, t = redis.call('answer'), {} for i = 1, 1e5 do t[i] = r end return t",
	"redis.log":               shares + "redis.log(redis.LOG_WARNING, unpack(l)) return 1",
	"within pcall":            shares + "pcall(cjson.encode, t) return 1",
	"within a coroutine":      shares + "coroutine.resume(coroutine.create(function() cjson.encode(t) end)) return 1",
}

// longList is what the command answer gives.
func longList() reply.Value {
	list := make([]reply.Value, 10000)
	for i := range list {
		list[i] = reply.Bulk("element")
	}
	return reply.Array(list...)
}

func TestWhatLibrariesMakeIsCountedBeforehand(t *testing.T) {
	for name, script := range growing {
		t.Run(name, func(t *testing.T) {
			const limit = 64 << 20
			vm := New(Options{MaxMemory: limit})
			defer vm.Close()
			s, err := vm.Compile(script)
			require.NoError(t, err)
			h := newHost()
			h.answer = longList()
			before := limits.ProgramAllocated()
			v := vm.Run(h, s, nil, nil)
			require.Equal(t, "ERR Script stopped: it needs more than 67108864 bytes of memory", v.Text())
			assert.Less(t, limits.ProgramAllocated()-before, uint64(12*limit), "nothing large is made in vain")
			s, err = vm.Compile("return 1")
			require.NoError(t, err)
			require.Equal(t, int64(1), vm.Run(h, s, nil, nil).MustInt(), "the VM goes on")
		})
	}
}

// TestLongCallsOfLibrariesCanBeStopped gives attention to scripts that are in one long call, and
// counts their steps.
func TestLongCallsOfLibrariesCanBeStopped(t *testing.T) {
	long := map[string]string{
		"cjson.encode":    shares + "return #cjson.encode(t)",
		"cjson.decode":    "return #cjson.decode('[' .. ('[],'):rep(1e6) .. '1]')",
		"cmsgpack.pack":   "local t = {} for i = 1, 16 do t = {t, t, t} end return #cmsgpack.pack(t)",
		"cmsgpack.unpack": "return #cmsgpack.unpack('\\221\\255\\255\\255\\255' .. ('\\144'):rep(2e6))",
		"struct.pack":     "return #struct.pack(('x'):rep(4e6))",
		"struct.size":     "return #struct.size(('x'):rep(4e6))",
		"a reply":         shares + "return t",
		"table.maxn":      "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.maxn(t) end",
		"string.format":   "return #string.format(('%%'):rep(2e6))",
	}
	for name, script := range long {
		t.Run(name, func(t *testing.T) {
			var attention atomic.Bool
			var vm *VM
			looks := 0
			vm = New(Options{Attention: &attention, Attend: func() {
				attention.Store(true)
				if looks++; looks == 300 { // the parts before the long call take fewer
					vm.End("ERR stopped")
				}
			}})
			defer vm.Close()
			s, err := vm.Compile(script)
			require.NoError(t, err)
			attention.Store(true)
			require.Equal(t, "ERR stopped", vm.Run(newHost(), s, nil, nil).Text())

			counted := New(Options{MaxSteps: 100000})
			defer counted.Close()
			s, err = counted.Compile(script)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(counted.Run(newHost(), s, nil, nil).Text(), "ERR Script stopped: it takes more than"))
		})
	}
}

// What string functions do with long texts counts as steps.
func TestLongTextsTakeSteps(t *testing.T) {
	for _, call := range []string{"s:upper()", "s:lower()", "s:reverse()", "s:rep(2)", "s:sub(2)",
		"s:find('y', 1, true)", "s:byte(-1) == s:byte(1) and s .. 'x'"} {
		vm := New(Options{MaxSteps: 100_000})
		s, err := vm.Compile("local s = ('x'):rep(8e6) local n = 0 for i = 1, 15 do local r = " + call + " end return n")
		require.NoError(t, err)
		v := vm.Run(newHost(), s, nil, nil)
		vm.Close()
		require.Contains(t, v.Text(), "ERR Script stopped: it takes more than", call)
	}
}
