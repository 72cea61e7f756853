// Package tables gives gopher-lua's LTable the inside of Lua 5.1's table: an array part and a node
// part, with Lua's sizes and Lua's placement of keys, also after deletions.
//
// Redis scripts see this inside in the order of pairs, next, cjson.encode and cmsgpack.pack, and in
// # of a table with nils among its elements. There is no random seed, so two runs on a real server
// agree, and the output of scripts depends on it.
//
// A table is in one of three states. It moves to the next one only when necessary:
//
//   - Plain: elements 1 to n, nothing else. The slice's capacity is the size of Lua's array part.
//   - Logged: string keys that were only added. LTable.keys lists them in the order in which they
//     were added. If a constructor with keyed fields has made the table, a [sizes] comes first.
//     Elements of the constructor may be there too.
//   - Split: anything else. LTable.keys[0] is a [parts], Lua's node part itself. The slice is the
//     array part and may contain nils. Values of string keys are in LTable.strdict, those of other
//     keys in their nodes.
//
// A logged table is split when it is walked or loses a key. Until then its nodes follow from the
// log. The VM and all libraries read and write tables through this package. A table that gopher-lua
// itself has filled has a k2i, and is split at the first change.
//
// Invariant: lua.LTable has the layout that this package expects. If it changes, the array sizes
// below fail to compile, and [Supported] and TestLayout fail.
package tables
