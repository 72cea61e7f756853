package luabridge

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"log/slog"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
)

// Log levels of redis.log.
const (
	logDebug = iota
	logVerbose
	logNotice
	logWarning
)

// Replication flags of redis.set_repl.
const (
	replNone    = 0
	replAOF     = 1
	replReplica = 2
	replAll     = replAOF | replReplica
)

func (vm *VM) redisFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"call":               vm.redisCall,
		"pcall":              vm.redisPCall,
		"log":                vm.redisLog,
		"sha1hex":            vm.redisSHA1Hex,
		"error_reply":        vm.redisErrorReply,
		"status_reply":       vm.redisStatusReply,
		"setresp":            vm.redisSetResp,
		"set_repl":           vm.redisSetRepl,
		"acl_check_cmd":      vm.redisACLCheckCmd,
		"replicate_commands": func(L *lua.LState) int { L.Push(lua.LTrue); return 1 },
		"breakpoint":         vm.redisBreakpoint,
		"debug":              vm.redisDebug,
	}
}

func (vm *VM) redisConstants() map[string]lua.LValue {
	version := 0
	for _, part := range strings.SplitN(vm.opt.Version, ".", 3) {
		n, _ := strconv.Atoi(part)
		version = version<<8 | n
	}
	return map[string]lua.LValue{
		"LOG_DEBUG":         lua.LNumber(logDebug),
		"LOG_VERBOSE":       lua.LNumber(logVerbose),
		"LOG_NOTICE":        lua.LNumber(logNotice),
		"LOG_WARNING":       lua.LNumber(logWarning),
		"REPL_NONE":         lua.LNumber(replNone),
		"REPL_AOF":          lua.LNumber(replAOF),
		"REPL_SLAVE":        lua.LNumber(replReplica),
		"REPL_REPLICA":      lua.LNumber(replReplica),
		"REPL_ALL":          lua.LNumber(replAll),
		"REDIS_VERSION":     lua.LString(vm.opt.Version),
		"REDIS_VERSION_NUM": lua.LNumber(version),
	}
}

// complain raises the error table for wrong arguments of a function of the redis library.
func (vm *VM) complain(L *lua.LState, message string) int {
	vm.raise(L, vm.complaint(L, message))
	return 0
}

func (vm *VM) redisLog(L *lua.LState) int {
	n := L.GetTop()
	if n < 2 {
		return vm.complain(L, "redis.log() requires two arguments or more.")
	}
	f, ok := args.Number(L.Get(1))
	if !ok {
		return vm.complain(L, "First argument must be a number (log level).")
	}
	level := args.Int64(f)
	if level < logDebug || level > logWarning {
		return vm.complain(L, "Invalid debug level.")
	}
	to := [...]slog.Level{slog.LevelDebug, slog.LevelDebug + 2, slog.LevelInfo, slog.LevelWarn}[level]
	logged, d := vm.opt.Logger.Enabled(context.Background(), to), vm.watcher()
	if !logged && d == nil {
		return 0
	}
	length := 0
	for i := 2; i <= n; i++ {
		s, _ := L.Get(i).(lua.LString)
		length += len(s) + 1
	}
	held := vm.budget.Held()
	vm.budget.Hold(L, 2*length) // for the logger's line
	defer vm.budget.Release(held)
	var b strings.Builder
	for i := 2; i <= n; i++ {
		if s, ok := args.Text(L.Get(i)); ok {
			if i > 2 {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	if logged {
		vm.opt.Logger.Log(context.Background(), to, b.String())
	}
	if d != nil {
		d.Log(vm.stackAt(L), int(level), b.String())
	}
	return 0
}

func (vm *VM) redisSHA1Hex(L *lua.LState) int {
	if L.GetTop() != 1 {
		return vm.complain(L, "wrong number of arguments")
	}
	s, _ := args.Text(L.Get(1)) // other values count as empty
	h := sha1.New()
	for len(s) > largeString {
		_, _ = io.WriteString(h, s[:largeString])
		s = s[largeString:]
		vm.budget.Work(L, largeString>>6)
	}
	_, _ = io.WriteString(h, s)
	L.Push(lua.LString(hex.EncodeToString(h.Sum(nil))))
	return 1
}

func (vm *VM) redisErrorReply(L *lua.LState) int {
	s, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		L.Push(vm.complaint(L, "wrong number or type of arguments"))
		return 1
	}
	text := args.CString(string(s))
	if d := vm.watcher(); d != nil {
		d.Complain(vm.stackAt(L), "-"+strings.TrimPrefix(text, "-"))
		vm.poll(L)
	}
	vm.budget.Ask(L, 2*len(text))
	L.Push(convert.Field("err", lua.LString(errorLine(text))))
	return 1
}

// errorLine adds the code ERR to a message without a code. It drops a leading dash and line breaks
// at the end.
func errorLine(s string) string {
	s = strings.TrimRight(strings.TrimPrefix(s, "-"), "\r\n")
	if !strings.Contains(s, " ") {
		s = "ERR " + s
	}
	return s
}

func (vm *VM) redisStatusReply(L *lua.LState) int {
	s, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		L.Push(vm.complaint(L, "wrong number or type of arguments"))
		return 1
	}
	L.Push(convert.Field("ok", s))
	return 1
}

func (vm *VM) redisSetResp(L *lua.LState) int {
	if L.GetTop() != 1 {
		return vm.complain(L, "redis.setresp() requires one argument.")
	}
	f, _ := args.Number(L.Get(1))
	proto := args.Int64(f)
	if proto != 2 && proto != 3 {
		return vm.complain(L, "RESP version must be 2 or 3.")
	}
	vm.convert.Proto = int(proto)
	vm.host.SetResp(vm.convert.Proto)
	return 0
}

func (vm *VM) redisSetRepl(L *lua.LState) int {
	if L.GetTop() != 1 {
		return vm.complain(L, "redis.set_repl() requires two arguments.")
	}
	f, _ := args.Number(L.Get(1))
	if args.Int64(f)&^replAll != 0 {
		return vm.complain(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	return 0
}

func (vm *VM) redisACLCheckCmd(L *lua.LState) int {
	args, problem := vm.arguments(L)
	if problem != "" {
		vm.raise(L, vm.complaint(L, problem))
	}
	allowed, known := vm.host.CheckACL(args)
	clear(args)
	if !known {
		return vm.complain(L, "Invalid command passed to redis.acl_check_cmd()")
	}
	L.Push(lua.LBool(allowed))
	return 1
}
