package redisapi

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"log/slog"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/reply"
)

// piece is the length in bytes from which strings are processed in pieces.
const piece = 1 << 20

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

// Host is what a script reaches the engine through; see luabridge.Host.
type Host interface {
	Call(args []string) reply.Value
	SetResp(proto int)
	SetEffects(file, replicas bool)
	CheckACL(args []string) (allowed, known bool)
	InnerError(v reply.Value)
}

// ArityHost is a Host that knows how many arguments commands take.
type ArityHost interface {
	// CheckArity reports whether a command that exists takes as many arguments.
	CheckArity(args []string) bool
}

// Watcher is notified of what the script asks of Redis, before or after it happens. Its methods are
// called on the script's goroutine.
type Watcher interface {
	// Call is called before a command runs, Reply with its reply in the protocol of the script.
	Call(L *lua.LState, args []string)
	Reply(L *lua.LState, args []string, v reply.Value)
	// Complain is called when a function makes an error of its own; text is without the code ERR, or
	// with a dash and a code.
	Complain(L *lua.LState, text string)
	// Log is redis.log; level is 0 (debug) to 3 (warning).
	Log(L *lua.LState, level int, text string)
}

// Console takes what redis.debug prints, and the stops of redis.breakpoint.
type Console interface {
	// Print takes the values on the stack.
	Print(L *lua.LState)
	// Breakpoint returns the result of redis.breakpoint.
	Breakpoint(L *lua.LState) bool
}

// Library is the library redis of one VM. The fields that each command needs come first.
type Library struct {
	// Watcher is nil if nobody watches.
	Watcher Watcher
	args    []string // the words of the command being called; reused
	// Host is the host of the running script. It is nil between runs, and while a library of functions
	// is loaded.
	Host Host
	// Convert converts replies and values.
	Convert convert.Converter

	// ShortNumbers: numbers become arguments with few digits, as since Redis 7.2.
	ShortNumbers bool
	// Server is the server that the library is like.
	Server servers.Server

	// Console is nil without a debugger. Code that a debugger evaluates has a Console, but no
	// Watcher.
	Console Console
	// Lua raises errors and limits the library.
	Lua args.Host
	// Poll ends the script if it must end.
	Poll func(L *lua.LState)
	// SHA returns the SHA1 of the running script.
	SHA    func() string
	Logger *slog.Logger // for redis.log and redis.debug
}

// Nest prepares the library for code that runs inside one of its functions and is not watched. The
// caller must call end when that code has ended.
func (r *Library) Nest() (end func()) {
	words, watcher := r.args, r.Watcher
	r.args, r.Watcher = nil, nil
	return func() { r.args, r.Watcher = words, watcher }
}

// Functions returns the functions of the library.
func Functions() []args.Function[Library] {
	return []args.Function[Library]{
		{Name: "call", Call: (*Library).call},
		{Name: "pcall", Call: (*Library).pcall},
		{Name: "log", Call: (*Library).log},
		{Name: "sha1hex", Call: (*Library).sha1Hex},
		{Name: "error_reply", Call: (*Library).errorReply},
		{Name: "status_reply", Call: (*Library).statusReply},
		{Name: "setresp", Call: (*Library).setResp},
		{Name: "set_repl", Call: (*Library).setRepl},
		{Name: "acl_check_cmd", Call: (*Library).aclCheckCmd},
		{Name: "replicate_commands", Call: (*Library).replicateCommands},
		{Name: "breakpoint", Call: (*Library).breakpoint},
		{Name: "debug", Call: (*Library).Print},
	}
}

// LogFunction is redis.log, as a value of its own.
var LogFunction = args.Function[Library]{Name: "log", Call: (*Library).log}

// RaiseFunction raises its argument, the error of a failed [Library.Direct].
var RaiseFunction = args.Function[Library]{Name: "call", Call: (*Library).raise}

// versionNumber returns a release as one number, with a byte for each part.
func versionNumber(release string) lua.LNumber {
	version := 0
	for _, part := range strings.SplitN(release, ".", 3) {
		n, _ := strconv.Atoi(part)
		version = version<<8 | n
	}
	return lua.LNumber(version)
}

// Constants returns the other fields of the library by their names, those of Valkey included.
func Constants(s servers.Server) map[string]lua.LValue {
	return map[string]lua.LValue{
		"LOG_DEBUG":          lua.LNumber(logDebug),
		"LOG_VERBOSE":        lua.LNumber(logVerbose),
		"LOG_NOTICE":         lua.LNumber(logNotice),
		"LOG_WARNING":        lua.LNumber(logWarning),
		"REPL_NONE":          lua.LNumber(replNone),
		"REPL_AOF":           lua.LNumber(replAOF),
		"REPL_SLAVE":         lua.LNumber(replReplica),
		"REPL_REPLICA":       lua.LNumber(replReplica),
		"REPL_ALL":           lua.LNumber(replAll),
		"REDIS_VERSION":      lua.LString(s.RedisRelease()),
		"REDIS_VERSION_NUM":  versionNumber(s.RedisRelease()),
		"SERVER_NAME":        lua.LString("valkey"),
		"VALKEY_VERSION":     lua.LString(s.Release()),
		"VALKEY_VERSION_NUM": versionNumber(s.Release()),
	}
}

// Complain raises the error table for wrong arguments of a function of the library.
func (r *Library) Complain(L *lua.LState, message string) int {
	r.Lua.Throw(L, r.complaint(L, message))
	return 0
}

// complaint returns the error table for wrong arguments, and notifies the watcher.
func (r *Library) complaint(L *lua.LState, text string) *lua.LTable {
	if w := r.Watcher; w != nil {
		w.Complain(L, text)
		r.Poll(L)
	}
	return r.Convert.ErrorTable("ERR "+text, false)
}

func (r *Library) replicateCommands(L *lua.LState) int {
	L.Push(lua.LTrue)
	return 1
}

// log is redis.log(level, text ...).
func (r *Library) log(L *lua.LState) int {
	n := L.GetTop()
	if n < 2 {
		return r.Complain(L, r.named("log() requires two arguments or more."))
	}
	f, ok := args.Number(L.Get(1))
	if !ok {
		return r.Complain(L, "First argument must be a number (log level).")
	}
	level := args.Int64(f)
	if level < logDebug || level > logWarning {
		return r.Complain(L, badLevel.Of(r.Server))
	}
	to := [...]slog.Level{slog.LevelDebug, slog.LevelDebug + 2, slog.LevelInfo, slog.LevelWarn}[level]
	logged, w := r.Logger.Enabled(context.Background(), to), r.Watcher
	if !logged && w == nil {
		return 0
	}
	length := 0
	for i := 2; i <= n; i++ {
		s, _ := L.Get(i).(lua.LString)
		length += len(s) + 1
	}
	held := r.Lua.Budget.Held()
	r.Lua.Budget.Hold(L, 2*length) // for the logger's line
	defer r.Lua.Budget.Release(held)
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
		r.Logger.Log(context.Background(), to, b.String())
	}
	if w != nil {
		w.Log(L, int(level), b.String())
	}
	return 0
}

func (r *Library) sha1Hex(L *lua.LState) int {
	if L.GetTop() != 1 {
		return r.Complain(L, "wrong number of arguments")
	}
	s, _ := args.Text(L.Get(1)) // other values count as empty
	h := sha1.New()
	for len(s) > piece {
		_, _ = io.WriteString(h, s[:piece])
		s = s[piece:]
		r.Lua.Budget.Work(L, piece>>6)
	}
	_, _ = io.WriteString(h, s)
	L.Push(lua.LString(hex.EncodeToString(h.Sum(nil))))
	return 1
}

func (r *Library) errorReply(L *lua.LState) int {
	s, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		L.Push(r.complaint(L, "wrong number or type of arguments"))
		return 1
	}
	text := args.CString(string(s))
	if w := r.Watcher; w != nil {
		w.Complain(L, "-"+strings.TrimPrefix(text, "-"))
		r.Poll(L)
	}
	r.Lua.Budget.Ask(L, 2*len(text))
	L.Push(r.Convert.Field("err", lua.LString(errorLine(text))))
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

func (r *Library) statusReply(L *lua.LState) int {
	s, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		L.Push(r.complaint(L, "wrong number or type of arguments"))
		return 1
	}
	L.Push(r.Convert.Field("ok", s))
	return 1
}

func (r *Library) setResp(L *lua.LState) int {
	if L.GetTop() != 1 {
		return r.Complain(L, r.named("setresp() requires one argument."))
	}
	f, _ := args.Number(L.Get(1))
	proto := args.Int64(f)
	if proto != 2 && proto != 3 {
		return r.Complain(L, "RESP version must be 2 or 3.")
	}
	r.Convert.Proto = int(proto)
	r.Host.SetResp(r.Convert.Proto)
	return 0
}

func (r *Library) setRepl(L *lua.LState) int {
	if L.GetTop() != 1 {
		return r.Complain(L, r.named(setReplArguments.Of(r.Server)))
	}
	f, _ := args.Number(L.Get(1))
	flags := args.Int64(f)
	if flags&^replAll != 0 {
		return r.Complain(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	r.Host.SetEffects(flags&replAOF != 0, flags&replReplica != 0)
	return 0
}

func (r *Library) aclCheckCmd(L *lua.LState) int {
	args, problem := r.arguments(L)
	if problem != "" {
		r.Lua.Throw(L, r.complaint(L, problem))
	}
	allowed, known := r.Host.CheckACL(args)
	arity := true
	if h, ok := r.Host.(ArityHost); ok && known && r.Server.Has(servers.CheckedArity) {
		arity = h.CheckArity(args)
	}
	r.done(args)
	switch {
	case !known:
		return r.Complain(L, "Invalid command passed to "+r.named("acl_check_cmd()"))
	case !arity:
		return r.Complain(L, "Wrong number of args for "+r.named("acl_check_cmd()"))
	}
	L.Push(lua.LBool(allowed))
	return 1
}
