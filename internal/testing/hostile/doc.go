// Package hostile makes Redis Lua scripts that try to end the process that runs them: they nest,
// share, grow and recurse through every library. Tests play them against an engine and against
// redmoon serve.
//
// [Listed] returns scripts written by hand, [Found] those that the generator found, and [Random]
// makes a new one from a seed.
package hostile
