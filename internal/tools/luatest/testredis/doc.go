// Package testredis gives Lua tests their Redis: an engine of its own for each test, or a real
// server to compare with, and the functions that tests use it by: redis.call, script, fcall,
// fixture, clock, calls, keyspace, diff, fail_next, and spies and stubs of commands.
//
// A [World] is what the functions of one test file share. It holds an [Env] while a test or a hook
// runs. An Env is made when it is first used, and repeats what the setup functions around the test
// have done to Redis ([Op]).
//
// A World and its Env belong to the goroutine of the test. The probe of the engine runs on the
// engine's goroutine; the mutex of the Env guards what both touch.
package testredis
