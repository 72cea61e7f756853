// Package tables answers what gopher-lua's LTable does not tell from outside: the order in
// which a table's keys were first inserted, and from it the order in which Lua 5.1's own hash
// table would walk them.
//
// Redis scripts see that order in pairs, next, cjson.encode and cmsgpack.pack. It has no random
// seed, so two runs on a real server agree, and a script's output depends on it.
//
// Invariant: the layout of lua.LTable that this package reads is the one of the gopher-lua version in go.mod;
// the array sizes below fail to compile, and TestLayout fails, when it changes.
package tables
