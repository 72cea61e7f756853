// Package tables gives gopher-lua's LTable the inside of Lua 5.1's table: an array part and a node part with the
// sizes and the placement that Lua gives them, deletions included.
//
// Redis scripts see that inside in the order of pairs, next, cjson.encode and cmsgpack.pack, and in # of a table with
// nils among its elements. It has no random seed, so two runs on a real server agree, and a script's output depends on it.
//
// A table is in one of three states, and pays for the next only when it must:
//
//   - Plain: elements 1 to n, nothing else. The slice's capacity is the size of Lua's array part.
//   - Logged: string keys, to which keys were only added. LTable.keys is the order in which they came; behind a
//     constructor with keyed fields a [sizes] stands before them. Elements of the constructor may be there too.
//   - Parted: anything else. LTable.keys[0] is a [parts], Lua's node part itself; the slice is the array part, with nils,
//     and values of string keys stand in LTable.strdict, those of other keys in their nodes.
//
// A logged table becomes a parted one when it is walked or loses a key: until then its nodes follow from the log.
// The VM and all libraries read and write tables by this package. A table that gopher-lua itself filled is known by its
// k2i, and becomes a parted one at the first change.
//
// Invariant: the layout of lua.LTable that this package reads is the one of the gopher-lua version in go.mod;
// the array sizes below fail to compile, and TestLayout fails, when it changes.
package tables
