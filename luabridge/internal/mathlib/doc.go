// Package mathlib is the math library of Redis's Lua. It rounds as C does, and math.random returns
// the same sequence as in Redis.
package mathlib
