package luabridge

import (
	"testing"

	"github.com/redmoon-lua/redmoon/reply"
)

// listHost answers lrange with a list.
type listHost struct{ benchHost }

var someItems = reply.Array(reply.Bulk("one"), reply.Bulk("two"), reply.Int(3), reply.Bulk("four"))

func (h listHost) Call(args []string) reply.Value {
	if args[0] == "lrange" {
		return someItems
	}
	return h.benchHost.Call(args)
}

// libraryCalls go through much in one call, or through little in many.
var libraryCalls = []struct{ name, code string }{
	{"gmatch words", `local s, n = ('lorem ipsum '):rep(2000), 0 for w in s:gmatch('%a+') do n = n + #w end return n`},
	{"gmatch captures", `local s, n = ('key=value, '):rep(2000), 0 for k, v in s:gmatch('(%w+)=(%w+)') do n = n + #v end return n`},
	{"gmatch bytes", `local s, n = ('x'):rep(20000), 0 for c in s:gmatch('.') do n = n + 1 end return n`},
	{"sub of a long text", `local s, n = ('x'):rep(20000), 0 for i = 1, 2000 do n = n + #s:sub(i, i + 9) end return n`},
	{"gsub", `local s = ('lorem ipsum '):rep(2000) return #s:gsub('%a+', '<%0>')`},
	{"concat strings",
		`local t = {} for i = 1, 2000 do t[i] = 'item' end local n = 0 for i = 1, 50 do n = n + #table.concat(t, ',') end return n`},
	{"concat numbers", `local t = {} for i = 1, 2000 do t[i] = i end local n = 0 for i = 1, 20 do n = n + #table.concat(t, ',') end return n`},
	{"concat short", `local t, n = {'a', 'b', 'c'}, 0 for i = 1, 2000 do n = n + #table.concat(t) end return n`},
	{"format", `local n = 0 for i = 1, 2000 do n = n + #string.format('%s:%d:%s', 'user', i, 'x') end return n`},
	{"encode object",
		`local t, n = {id = 17, name = 'packet', amount = 1250, open = true}, 0 for i = 1, 1000 do n = n + #cjson.encode(t) end return n`},
	{"encode array", `local t, n = {}, 0 for i = 1, 1000 do t[i] = i end for i = 1, 20 do n = n + #cjson.encode(t) end return n`},
	{"decode object",
		`local s, n = '{"id":17,"name":"packet","amount":1250,"open":true}', 0 for i = 1, 1000 do n = n + cjson.decode(s).amount end return n`},
	{"decode array", `local s, n = '[1' .. (',12345'):rep(1000) .. ']', 0 for i = 1, 20 do n = n + #cjson.decode(s) end return n`},
	{"pack", `local t, n = {id = 17, name = 'packet', amount = 1250}, 0 for i = 1, 1000 do n = n + #cmsgpack.pack(t) end return n`},
	{"unpack",
		`local s, n = cmsgpack.pack({id = 17, name = 'packet', amount = 1250}), 0 for i = 1, 1000 do n = n + cmsgpack.unpack(s).id end return n`},
	{"struct", `local n = 0 for i = 1, 1000 do n = n + struct.unpack('>I4', struct.pack('>I4', i)) end return n`},
	{"insert and remove", `local t = {} for i = 1, 2000 do table.insert(t, i) end for i = 1, 2000 do table.remove(t) end return #t`},
	{"sort", `local t = {} for i = 1, 1000 do t[i] = i * 7919 % 1000 end table.sort(t) return t[1]`},
	{"call", `for i = 1, 1000 do redis.call('incr', KEYS[1]) end`},
	{"call, list", `local n = 0 for i = 1, 1000 do n = n + #redis.call('lrange', KEYS[1], 0, -1) end return n`},
	{"reply list", `local t = {} for i = 1, 1000 do t[i] = 'item' end return t`},
	{"reply one", `return 1`},
}

// BenchmarkLibraries is what calls of library functions and conversions cost.
func BenchmarkLibraries(b *testing.B) {
	for _, c := range libraryCalls {
		b.Run(c.name, func(b *testing.B) {
			vm := New(Options{MaxMemory: 512 << 20})
			b.Cleanup(vm.Close)
			s := compiled(b, vm, c.code)
			for b.Loop() {
				if v := vm.Run(listHost{}, s, []string{"k"}, nil); v.IsError() {
					b.Fatal(v)
				}
			}
		})
	}
}
