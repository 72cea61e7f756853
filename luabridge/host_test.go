package luabridge

import (
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

// fakeHost is a handful of commands over Go maps.
type fakeHost struct {
	strings  map[string]string
	hashes   map[string]map[string]string
	lists    map[string][]string
	proto    int
	calls    [][]string
	inner    []string // the errors inside replies
	keep     bool     // note the calls
	file     bool     // of SetEffects
	replicas bool
	answer   reply.Value         // of the command "answer"
	onCall   func(args []string) // before each command
}

func newHost() *fakeHost {
	return &fakeHost{strings: map[string]string{}, hashes: map[string]map[string]string{}, lists: map[string][]string{}}
}

func (h *fakeHost) SetResp(proto int) { h.proto = proto }

func (h *fakeHost) SetEffects(file, replicas bool) { h.file, h.replicas = file, replicas }

func (h *fakeHost) CheckACL(args []string) (allowed, known bool) {
	return args[0] != "forbidden", args[0] != "nope"
}

func (h *fakeHost) InnerError(v reply.Value) { h.inner = append(h.inner, v.Text()) }

func (h *fakeHost) Call(args []string) reply.Value {
	if h.keep {
		h.calls = append(h.calls, append([]string(nil), args...))
	}
	if h.onCall != nil {
		h.onCall(args)
	}
	switch args[0] {
	case "answer":
		return h.answer
	case "panic":
		panic("a bug in a handler")
	case "echo":
		return reply.Bulk(args[1])
	case "get":
		if v, ok := h.strings[args[1]]; ok {
			return reply.Bulk(v)
		}
		return reply.Nil()
	case "set":
		h.strings[args[1]] = args[2]
		return reply.OK()
	case "del":
		_, ok := h.strings[args[1]]
		delete(h.strings, args[1])
		return truth(ok)
	case "hexists":
		_, ok := h.hashes[args[1]][args[2]]
		return truth(ok)
	case "hget":
		if v, ok := h.hashes[args[1]][args[2]]; ok {
			return reply.Bulk(v)
		}
		return reply.Nil()
	case "hset":
		if h.hashes[args[1]] == nil {
			h.hashes[args[1]] = map[string]string{}
		}
		_, had := h.hashes[args[1]][args[2]]
		h.hashes[args[1]][args[2]] = args[3]
		return truth(!had)
	case "hincrby":
		if h.hashes[args[1]] == nil {
			h.hashes[args[1]] = map[string]string{}
		}
		n, _ := strconv.ParseInt(h.hashes[args[1]][args[2]], 10, 64)
		by, _ := strconv.ParseInt(args[3], 10, 64)
		h.hashes[args[1]][args[2]] = strconv.FormatInt(n+by, 10)
		return reply.Int(n + by)
	case "lpush":
		h.lists[args[1]] = append(h.lists[args[1]], args[2])
		return reply.Int(int64(len(h.lists[args[1]])))
	case "rpop":
		l := h.lists[args[1]]
		if len(l) == 0 {
			return reply.Nil()
		}
		h.lists[args[1]] = l[1:]
		return reply.Bulk(l[0])
	}
	return reply.Err("ERR Unknown Redis command called from script")
}

func truth(b bool) reply.Value {
	if b {
		return reply.Int(1)
	}
	return reply.Int(0)
}

func newVM(t testing.TB) *VM {
	vm := New(Options{})
	t.Cleanup(vm.Close)
	return vm
}

func compiled(t testing.TB, vm *VM, source string) *Script {
	t.Helper()
	s, err := vm.Compile(source)
	require.NoError(t, err)
	return s
}

// spell writes a reply in one line.
func spell(v reply.Value) string {
	switch v.Kind() {
	case reply.KindArray, reply.KindMap, reply.KindSet:
		parts := make([]string, v.Len())
		for i, e := range v.Slice() {
			parts[i] = spell(e)
		}
		if v.Kind() == reply.KindSet {
			sort.Strings(parts)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reply.KindNil:
		return "nil"
	case reply.KindBulk:
		return strconv.Quote(v.Text())
	case reply.KindError:
		return "-" + v.Text()
	case reply.KindStatus:
		return "+" + v.Text()
	}
	return v.Text()
}

// eval runs a script without keys on a host of its own.
func eval(t testing.TB, vm *VM, source string) reply.Value {
	t.Helper()
	return vm.Run(newHost(), compiled(t, vm, source), nil, nil)
}
