package luabridge

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
	"github.com/redmoon-lua/redmoon/reply"
)

// benchHost answers the red-packet script's commands at next to no cost.
type benchHost struct{}

func (benchHost) SetResp(int)                    {}
func (benchHost) SetEffects(bool, bool)          {}
func (benchHost) CheckACL([]string) (bool, bool) { return true, true }
func (benchHost) InnerError(reply.Value)         {}
func (benchHost) Call(args []string) reply.Value {
	switch args[0] {
	case "rpop":
		return reply.Bulk(`{"redPacketId":"rp000017","amount":1250}`)
	case "hexists":
		return reply.Int(0)
	}
	return reply.Int(1)
}

func BenchmarkRedPacket(b *testing.B) {
	vm := newVM(b)
	s := compiled(b, vm, seeds.Need(b, "redpacket_rain.lua"))
	keys := []string{"users", "packets", "taken", "user:17"}
	b.ReportAllocs()
	for b.Loop() {
		vm.Run(benchHost{}, s, keys, nil)
	}
}

// BenchmarkRedPacketBare is the floor: stock gopher-lua, its compiler's code as it is, with a
// redis.call of a few lines and our cjson.
func BenchmarkRedPacketBare(b *testing.B) {
	L := lua.NewState()
	defer L.Close()
	vm := newVM(b)
	tb := L.NewTable()
	var args []string
	tb.RawSetString("call", L.NewFunction(func(L *lua.LState) int {
		args = args[:0]
		for i := 1; i <= L.GetTop(); i++ {
			args = append(args, L.Get(i).String())
		}
		switch v := (benchHost{}).Call(args); v.Kind() {
		case reply.KindInt:
			L.Push(lua.LNumber(v.MustInt()))
		default:
			L.Push(lua.LString(v.Text()))
		}
		return 1
	}))
	L.SetGlobal("redis", tb)
	L.SetGlobal("cjson", vm.cjson.Open(L))
	chunk, err := parse.Parse(strings.NewReader(seeds.Need(b, "redpacket_rain.lua")), "s")
	if err != nil {
		b.Fatal(err)
	}
	proto, err := lua.Compile(chunk, "s")
	if err != nil {
		b.Fatal(err)
	}
	fn := L.NewFunctionFromProto(proto)
	keys := []string{"users", "packets", "taken", "user:17"}
	b.ReportAllocs()
	for b.Loop() {
		L.SetGlobal("KEYS", listOf(L, keys...))
		L.SetGlobal("ARGV", listOf(L))
		L.Push(fn)
		if err := L.PCall(0, 1, nil); err != nil {
			b.Fatal(err)
		}
		L.Pop(1)
	}
}

func BenchmarkCallOnly(b *testing.B) {
	vm := newVM(b)
	s := compiled(b, vm, "return redis.call('incr',KEYS[1])")
	keys := []string{"k"}
	b.ReportAllocs()
	for b.Loop() {
		vm.Run(benchHost{}, s, keys, nil)
	}
}

func listOf(L *lua.LState, ss ...string) *lua.LTable {
	tb := L.CreateTable(len(ss), 0)
	for _, s := range ss {
		tb.Append(lua.LString(s))
	}
	return tb
}
