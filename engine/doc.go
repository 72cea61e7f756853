// Package engine is Redmoon's public API: an in-memory Redis with Lua scripts that lives inside the
// program.
//
//	e, err := engine.New(engine.Options{})
//	...
//	defer e.Close()
//	v, err := e.Eval(ctx, "return redis.call('incr', KEYS[1])", []string{"hits"})
//
// One goroutine, the loop, owns the keyspace and the Lua state. Every call reaches it through one
// bounded channel ([Options].QueueLength), so each command, each script and each MULTI/EXEC block
// is one atomic step. Any number of goroutines may use an [Engine] at the same time.
//
// # Replies
//
// A reply is a [Value], whose methods package reply documents. Its functions reply.Int, reply.Bulk,
// reply.Array ... make values, for example for a fake [Runner] in a test.
//
// # Errors
//
// Do, Eval and RunScript return an error reply as an *[Error] with the fields Code and Message, and
// also as the Value. errors.Is compares the error by its code with variables such as [ErrWrongType]
// and [ErrNoScript]. Every call after [Engine.Close] returns [ErrClosed].
//
// A call returns the error of its context only if the call had no effect: the command was withdrawn
// before it ran or while it waited, or its script was stopped before it wrote anything. The context
// does not stop a script that has written. The call then waits until the script ends, and only
// Options.ScriptMemory, Options.ScriptSteps and [Engine.Close] stop it. Set ScriptSteps if you run
// scripts that are not your own.
//
// # Commands that wait
//
// BLPOP and related commands block the call until they have a result, their timeout passes or the
// context of the call ends. The engine serves other calls meanwhile. Any number of calls of the
// Engine can block at the same time; a [Session] runs one call after the other. If BLPOP has popped
// an element, the call returns it, even if its context has ended in the meantime.
//
// A function that the engine calls on its own goroutine, such as a logger or the function given to
// [Engine.View], must not call the engine. Such a call returns [ErrReentrant].
//
// # Time
//
// An engine follows the machine's clock, or [Options].Clock. In a bubble of testing/synctest the
// machine's clock is the bubble's: keys expire and waits end as the bubble's time passes, and
// synctest.Wait returns when the engine is idle. An engine that was made in a bubble must not be
// used outside of it. An engine that was made outside of all bubbles may be called from any bubble.
// The time of a bubble stands still while a script runs, so in a bubble only Options.ScriptSteps
// can stop an endless script.
//
// # Sessions
//
// Calls of the Engine itself share no state between commands. MULTI, WATCH, SELECT and related
// commands need a [Session].
//
// # Receiving
//
// A session subscribes with [Session.Subscribe] and related methods. [Session.Messages] then
// delivers published messages, invalidated keys and lines of MONITOR. The engine never waits for
// the receiver: it closes a session that reads too slowly.
//
// # Several engines
//
// A [Cluster] is several engines that share the hash slots, for programs that keep more than one
// processor core busy. Scripts must follow the rules of a Redis Cluster.
// # Inspecting and copying
//
// [Engine.View] gives read-only access to the keyspace. [Engine.Fork] returns a copy of the whole
// engine. [Engine.Snapshot], [Engine.Changes] and [Engine.Restore] copy, compare and restore its
// keyspace.
//
// # Debugging
//
// [Engine.DebugScript] runs a script under a [Debugger], and [Engine.InterceptScripts] does so with
// scripts of other callers. Such a run can be undone and repeated ([DebugRun.Rewind]). Package
// debugger has a Debugger that stops and steps.
//
// # For programs around an engine
//
// The following is for the command redmoon and the debuggers. A program that embeds an engine does
// not need it. For connections there is package resp: a program that has its own commands sees the
// requests by resp.Options.Intercept.
//   - descriptions of commands for people: [Commands], [CommandDoc], [CommandNames], [CommandHint],
//     [DescribeCommand] and [MatchGlob];
//   - the program's start: [ReadConfigFile], [ReadConfig], [ConfigSource], [ConfigFile] and
//     [Options].Fixed, ConfigFile, ApplyConfig and OnShutdown;
//   - debuggers: [ScriptLines], [Stack], [Frame] and [LuaValue].
package engine
