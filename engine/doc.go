// Package engine is Redmoon's public API: an in-memory Redis with Lua scripts that
// lives inside the program.
//
//	e, err := engine.New(engine.Options{})
//	...
//	defer e.Close()
//	v, err := e.Eval(ctx, "return redis.call('incr', KEYS[1])", []string{"hits"})
//
// One goroutine owns the keyspace and the Lua state; everything reaches it through one
// bounded command channel, so each command, each script and each MULTI/EXEC block is one atomic
// step. An [Engine] may be used from any number of goroutines at once.
//
// # Errors
//
// An error reply of Redis comes back as an *[Error], whose Code and Message stand apart;
// errors.Is compares it with sentinels such as [ErrWrongType] and [ErrNoScript] by code. [ErrClosed] is
// returned by every call after [Engine.Close]. A context's error is returned only when the call had no effect:
// the command was withdrawn before its turn or while it waited, or its script was stopped before it wrote anything.
// The context does not stop a script that has written. The call then waits until the script ends, and only
// Options.ScriptMemory, Options.ScriptSteps and [Engine.Close] stop it. Set ScriptSteps if you run scripts
// that are not your own.
//
// # Commands that wait
//
// BLPOP and the like wait in the call, no longer than its context; the engine goes on meanwhile. Calls on the Engine wait
// side by side; a call in a Session waits until the one before it has been answered. An element that has been handed over is
// always returned, also when the context has just ended.
//
// A function that the engine calls on its own goroutine, such as a logger or one given to [Engine.View],
// must not call the engine. Such a call returns [ErrReentrant].
//
// # Time
//
// An engine follows the machine's clock, or [Options].Clock. In a bubble of testing/synctest the machine's
// clock is the bubble's: keys expire and waits end as the bubble's time passes, and synctest.Wait returns
// when the engine is idle. An engine that is made in a bubble must not be used outside it. An engine that is
// made outside all bubbles may be called from any. A bubble's time does not pass while a script runs, so
// there only Options.ScriptSteps stops a script that does not end.
//
// # Sessions
//
// Calls on the Engine itself share no state between commands. MULTI, WATCH, SELECT and the
// like need a [Session].
//
// # Several engines
//
// A [Cluster] is several engines that share the hash slots, for more processors than one: the same scripts, held to the rules of a Redis Cluster.
//
// # Debugging
//
// [Engine.DebugScript] runs a script under a [Debugger], and [Engine.InterceptScripts] the scripts of others; package debugger is one that stops and steps. Such a run can be taken
// back and made anew ([DebugRun.Rewind]). [Engine.Fork] copies an engine, [Engine.Snapshot], [Engine.Changes] and [Engine.Restore] its keyspace.
//
// # Receiving
//
// A session subscribes with [Session.Subscribe] and its kin, and gets what is published, and whatever else a connection would be sent
// without asking, from [Session.Messages]. The engine never waits for who reads there: a session that is too slow is ended.
package engine
