package luabridge

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkWays compares what is compiled by way of a tree with what package luac makes of the same text.
func BenchmarkWays(b *testing.B) {
	grab, err := os.ReadFile("../scripts/redpacket/grab.lua")
	if err != nil {
		b.Skip(err)
	}
	_ = grab
	for name, src := range map[string]string{
		"loop":   "local s = 0 for i = 1, 1000 do s = s + i % 7 end return s",
		"calls":  "local function f(a, b) return a + b end local s = 0 for i = 1, 300 do s = f(s, i) end return s",
		"tables": "local t = {} for i = 1, 300 do t[#t + 1] = i end local s = 0 for i, v in ipairs(t) do s = s + v end return s",
		"redis":  "for i = 1, 20 do redis.call('set', KEYS[1], ARGV[1]) redis.call('get', KEYS[1]) end return redis.call('get', KEYS[1])",
		"text":   "local s = {} for i = 1, 100 do s[i] = string.format('%d:%s', i, 'x') .. tostring(i) end return table.concat(s)",
		"small":  "return redis.call('get', KEYS[1])",
	} {
		for way, text := range map[string]string{"tree": src, "luac": src + strings.Repeat(" ", treeText)} {
			b.Run(name+"/"+way, func(b *testing.B) {
				vm := newVM(b)
				s := compiled(b, vm, text)
				h := newHost()
				b.ReportAllocs()
				for b.Loop() {
					vm.Run(h, s, []string{"k"}, []string{"v"})
				}
			})
		}
	}
}
