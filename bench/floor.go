package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	lua "github.com/yuin/gopher-lua"
)

// floor runs the red packet script on a bare gopher-lua state, compiled once, where redis.call is a
// Go function on Go maps: no engine, no channel, no gate, no types, no expiry. This is the cost of
// the VM itself. For each call of a chunk gopher-lua makes a table "arg", which neither Lua 5.1 nor
// Redmoon does; with noArg the floor does not make it either.
func floor(watch stopwatch, noArg bool) func(w workload, n int) (time.Duration, error) {
	return func(w workload, n int) (time.Duration, error) { return runFloor(watch, w, n, noArg) }
}

func runFloor(watch stopwatch, w workload, n int, noArg bool) (time.Duration, error) {
	l := lua.NewState()
	defer l.Close()
	l.SetGlobal("cjson", cjson.New().Open(l))
	store := floorStore{
		hashes: map[string]map[string]string{grabbedKey: {}, activityKey: {"until": "never", "given": "0"}},
		lists:  map[string][]string{},
	}
	for i := range n {
		store.lists[packetsKey] = append(store.lists[packetsKey], packet(i))
	}
	redis := l.NewTable()
	l.SetField(redis, "call", l.NewFunction(store.call))
	l.SetField(redis, "pcall", l.NewFunction(store.call))
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
				if t, ok := l.Get(-1).(*lua.LTable); !ok || t.RawGetInt(1) != lua.LString("grabbed") {
					return fmt.Errorf("floor: operation %d returned %v", i, l.Get(-1))
				}
				l.Pop(1)
			}
		}
	})
}

// floorStore is the part of a keyspace that the script needs.
type floorStore struct {
	hashes  map[string]map[string]string
	lists   map[string][]string
	entries int
}

// call implements redis.call.
func (s *floorStore) call(l *lua.LState) int {
	key := l.CheckString(2)
	switch l.CheckString(1) {
	case "HGET":
		if v, ok := s.hashes[key][l.CheckString(3)]; ok {
			l.Push(lua.LString(v))
		} else {
			l.Push(lua.LFalse)
		}
	case "HSET":
		s.hashes[key][l.CheckString(3)] = l.CheckString(4)
		l.Push(lua.LNumber(1))
	case "HINCRBY":
		n, _ := strconv.ParseInt(s.hashes[key][l.CheckString(3)], 10, 64)
		by, _ := strconv.ParseInt(l.CheckString(4), 10, 64)
		s.hashes[key][l.CheckString(3)] = strconv.FormatInt(n+by, 10)
		l.Push(lua.LNumber(n + by))
	case "LINDEX":
		if list := s.lists[key]; len(list) > 0 {
			l.Push(lua.LString(list[0]))
		} else {
			l.Push(lua.LFalse)
		}
	case "LPOP":
		s.lists[key] = s.lists[key][1:]
		l.Push(lua.LTrue)
	case "RPUSH":
		s.lists[key] = append(s.lists[key], l.CheckString(3))
		l.Push(lua.LNumber(len(s.lists[key])))
	case "XADD":
		for i := 4; i <= 7; i++ {
			s.lists[key] = append(s.lists[key], l.CheckString(i))
		}
		s.entries++
		l.Push(lua.LString("1-" + strconv.Itoa(s.entries)))
	}
	return 1
}

func stringTable(l *lua.LState, ss []string) *lua.LTable {
	t := l.CreateTable(len(ss), 0)
	for i, s := range ss {
		t.RawSetInt(i+1, lua.LString(s))
	}
	return t
}
