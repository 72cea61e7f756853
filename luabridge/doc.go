// Package luabridge runs Redis Lua scripts on gopher-lua as redis-server 7.0.15 runs them on its
// own Lua 5.1.
//
//	vm := luabridge.New(luabridge.Options{})
//	s, err := vm.Compile("return redis.call('get', KEYS[1])")
//	v := vm.Run(host, s, []string{"key"}, nil)
//
// A script is compiled once, by package luac, to the instructions that Lua itself would run.
// [VM.Run] runs it in one long-lived sandboxed state, by the instruction loop of package machine.
//
// # Rooms
//
// This package holds the VM: a run with its errors and nested calls, libraries of functions,
// the texts that scripts load (chunks), and what a [Debugger] sees (debugging, [Stack], [Value]).
// The rest is in packages below luabridge/internal; imports go down only.
//
//   - Compiling: syntax (tokens), luac (the compiler). Package luatext reads the first line of a
//     text, and knows what can be said without running it; package luatree builds trees for tools.
//   - Running: machine (the instruction loop), tables (Lua's tables inside gopher-lua's), boxes
//     (values with few allocations), heap (memory and collection of reachable values), convert
//     (replies to values and back).
//   - Ending: limits (orders, steps, memory), budget (limits of library functions).
//   - What scripts see: globals (shared read-only tables), names, redisapi (the library redis),
//     baselib, corolib, mathlib, tablelib, strlib, and args, which reads their arguments. The
//     libraries cjson, cmsgpack, bitop and structlib can be used alone.
//
// # Who owns what
//
// A [VM] belongs to one goroutine; only [VM.Interrupt] may be called from others. A script reaches
// commands through a [Host]. The package knows no commands, no keyspace and no protocol.
//
// # Invariants
//
//   - A script sees nothing of the scripts before it, except what Redis lets through: the settings
//     of cjson and the random sequence.
//   - Every table that scripts share is read-only. A script holds a stand-in (an empty table with
//     __index and __newindex). Only Go code reaches the table behind it.
//   - VMs share the libraries and compiled texts ([shared], [compiledTexts]), which nobody changes.
//     A function of a library finds the VM that calls it by the state. A [Tool] has its own
//     libraries, and a text that is counted or measured is compiled for one VM.
//   - After an abnormal end (interrupt, Go panic, stack overflow) the state is replaced.
//
// # Stability
//
// This package and the public packages below it are building blocks of package engine: their API
// may change at any version (docs/compatibility.md).
package luabridge
