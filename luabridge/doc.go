// Package luabridge runs Redis Lua scripts on gopher-lua as redis-server 7.0.15 runs them on
// its own Lua 5.1.
//
//	vm := luabridge.New(luabridge.Options{})
//	s, err := vm.Compile("return redis.call('get', KEYS[1])")
//	v := vm.Run(host, s, []string{"key"}, nil)
//
// A script is parsed, rewritten (see rewrite.go: what gopher-lua's compiler gets wrong is
// turned into something it gets right) and compiled once. [VM.Run] then calls it in one
// long-lived sandboxed state.
//
// # Who owns what
//
// A [VM] belongs to one goroutine; only [VM.Interrupt] may be called from others. A [Host] is what
// the script reaches commands through; the package knows no command, no keyspace, no RESP.
//
// # Debugging
//
// [VM.Debug] has a [Debugger] told what scripts do: lines, commands, errors. Meanwhile it may look at the [Stack], set variables and evaluate code. A script that
// is debugged is compiled anew, to Lua's own instructions (see stepped.go); others run as if there were no debugger.
//
// # Invariants
//
//   - Nothing a script does is seen by the next one, but for what Redis lets through: the cjson settings
//     and the random sequence.
//   - Every table that scripts share is read-only. A script holds a proxy (an empty table with
//     __index and __newindex); the real one is reachable only from Go.
//   - After an abnormal end (interrupt, Go panic, stack overflow) the state is thrown away.
package luabridge
