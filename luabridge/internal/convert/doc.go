// Package convert turns replies into the Lua values that redis.call returns, and the values that
// scripts return into replies, as Redis does in RESP2 and RESP3.
package convert
