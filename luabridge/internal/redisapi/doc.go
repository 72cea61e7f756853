// Package redisapi is the library redis of scripts: redis.call, redis.log and the others, except
// redis.register_function.
//
// A [Library] reaches commands through a [Host], which differs from run to run. It notifies a
// [Watcher] what a script asks of Redis, and hands redis.debug and redis.breakpoint to a [Console].
// Wrong arguments are errors in Redis's words.
//
// A Library belongs to the goroutine of its Lua state.
package redisapi
