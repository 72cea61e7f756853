package redisapi

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/reply"
)

// call is redis.call. An error reply ends the script.
func (r *Library) call(L *lua.LState) int {
	v, problem := r.command(L)
	if problem != "" {
		r.Lua.Throw(L, r.complaint(L, problem))
	}
	if v.IsError() {
		r.Lua.Throw(L, r.Convert.ToLua(v))
	}
	L.Push(r.Convert.FromReply(L, v))
	return 1
}

// Direct is redis.call without a frame of its own; see [machine.Command].
func (r *Library) Direct(L *lua.LState, values []lua.LValue, want bool) (result lua.LValue, ok bool) {
	if r.Watcher != nil {
		return nil, false
	}
	args := r.args[:0]
	for _, v := range values {
		switch v := v.(type) {
		case lua.LString:
			args = append(args, string(v))
		case lua.LNumber:
			args = append(args, r.numberArgument(float64(v)))
		default:
			r.done(args)
			return nil, false
		}
	}
	r.args = args
	v := r.Host.Call(args)
	r.done(args)
	if v.IsError() {
		return r.Convert.ToLua(v), false
	}
	if !want {
		return nil, true
	}
	return r.Convert.FromReply(L, v), true
}

func (r *Library) raise(L *lua.LState) int {
	r.Lua.Throw(L, L.Get(1))
	return 0
}

// pcall is redis.pcall. An error reply is a table.
func (r *Library) pcall(L *lua.LState) int {
	v, problem := r.command(L)
	if problem != "" {
		L.Push(r.complaint(L, problem))
		return 1
	}
	L.Push(r.Convert.FromReply(L, v))
	return 1
}

// command runs the command on the stack. The arguments are in r.args while it runs; nested code
// needs a slice of its own; see [Library.Nest].
func (r *Library) command(L *lua.LState) (v reply.Value, problem string) {
	r.Poll(L)
	args, problem := r.arguments(L)
	if problem != "" {
		return v, problem
	}
	if w := r.Watcher; w != nil {
		return r.watched(L, w, args), ""
	}
	v = r.Host.Call(args)
	r.done(args)
	return v, ""
}

// keptArgs is the number of words for which r.args keeps its memory.
const keptArgs = 1 << 10

// done drops the words of a command. They are in r.args, or were to be.
func (r *Library) done(args []string) {
	if clear(args); cap(args) > keptArgs {
		r.args = nil
	}
}

// Forget drops the words of a command that has not returned: it has ended the script.
func (r *Library) Forget() { r.done(r.args) }

// watched runs a command and notifies the watcher. The watcher may run other commands meanwhile, so
// args is copied for it.
func (r *Library) watched(L *lua.LState, w Watcher, args []string) reply.Value {
	args = slices.Clone(args)
	w.Call(L, args)
	r.Poll(L)
	v := r.Host.Call(slices.Clone(args))
	w.Reply(L, args, v.In(r.Convert.Proto))
	r.Poll(L)
	return v
}

// arguments returns the arguments on the stack as the words of a command, in r.args.
func (r *Library) arguments(L *lua.LState) ([]string, string) {
	n := L.GetTop()
	if n == 0 {
		return nil, noArguments.Of(r.Server)
	}
	args := r.args[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			args = append(args, string(v))
		case lua.LNumber:
			args = append(args, r.numberArgument(float64(v)))
		default:
			r.done(args)
			return nil, badArguments.Of(r.Server)
		}
	}
	r.args = args
	return args, ""
}

// numberArgument writes a number as Redis passes it to commands: in 7.0 by C's %.17g.
func (r *Library) numberArgument(f float64) string {
	var b [40]byte
	if r.ShortNumbers {
		return string(numbers.AppendShortArgument(b[:0], f))
	}
	return string(numbers.Append(b[:0], f, 17))
}
