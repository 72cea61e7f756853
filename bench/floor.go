package main

import (
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	lua "github.com/yuin/gopher-lua"
)

// floor runs the red-packet script on a bare gopher-lua state, compiled once, with redis.call
// a Go function over Go maps: no engine, no channel, no gate, no types, no expiry. It is what
// the VM itself costs. gopher-lua makes a table "arg" for each call of a chunk, which Lua 5.1 does not have
// and Redmoon does not make; noArg spares the floor that too.
func floor(watch stopwatch, noArg bool) func(w workload, n int) (time.Duration, error) {
	return func(w workload, n int) (time.Duration, error) { return runFloor(watch, w, n, noArg) }
}

func runFloor(watch stopwatch, w workload, n int, noArg bool) (time.Duration, error) {
	l := lua.NewState()
	defer l.Close()
	l.SetGlobal("cjson", cjson.New().Open(l))
	hash := map[string]string{}
	lists := map[string][]string{}
	for i := range n {
		lists[packetsKey] = append(lists[packetsKey], packet(i))
	}
	redis := l.NewTable()
	l.SetField(redis, "call", l.NewFunction(func(l *lua.LState) int {
		switch l.CheckString(1) {
		case "HGET":
			if v, ok := hash[l.CheckString(3)]; ok {
				l.Push(lua.LString(v))
			} else {
				l.Push(lua.LFalse)
			}
		case "HSET":
			hash[l.CheckString(3)] = l.CheckString(4)
			l.Push(lua.LNumber(1))
		case "RPOP":
			list := lists[l.CheckString(2)]
			if len(list) == 0 {
				l.Push(lua.LFalse)
				return 1
			}
			l.Push(lua.LString(list[len(list)-1]))
			lists[l.CheckString(2)] = list[:len(list)-1]
		case "LPUSH":
			lists[l.CheckString(2)] = append(lists[l.CheckString(2)], l.CheckString(3))
			l.Push(lua.LNumber(1))
		}
		return 1
	}))
	l.SetGlobal("redis", redis)
	fn, err := l.LoadString(w.script.Source())
	if err != nil {
		return 0, err
	}
	if noArg {
		fn.Proto.IsVarArg &^= lua.VarArgNeedsArg
	}
	return share(watch, 1, n, func(next func(int) (int, int)) error {
		var buf []string
		for {
			from, to := next(64)
			if from == to {
				return nil
			}
			for i := from; i < to; i++ {
				buf = w.op(buf[:0], i)
				l.SetGlobal("KEYS", stringTable(l, buf[:w.nkeys]))
				l.SetGlobal("ARGV", stringTable(l, buf[w.nkeys:]))
				if err := l.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}); err != nil {
					return err
				}
				if t, ok := l.Get(-1).(*lua.LTable); !ok || t.RawGetInt(1) != lua.LNumber(1) {
					return fmt.Errorf("floor: operation %d answered %v", i, l.Get(-1))
				}
				l.Pop(1)
			}
		}
	})
}

func stringTable(l *lua.LState, ss []string) *lua.LTable {
	t := l.CreateTable(len(ss), 0)
	for i, s := range ss {
		t.RawSetInt(i+1, lua.LString(s))
	}
	return t
}
