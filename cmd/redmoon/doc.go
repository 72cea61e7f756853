// Redmoon runs Redis Lua scripts without a Redis server: one of them, from a prompt, for other clients over
// RESP, or a hundred thousand times in the grab demonstration.
package main
