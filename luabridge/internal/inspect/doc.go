// Package inspect shows Lua values to people as plain JSON, which gopher-json writes. Scripts do
// not see it: their JSON is that of package cjson.
//
// A script may make tables of any depth and size, and put a table into itself, so the depth, the
// number of entries and the bytes of strings that are written are bounded.
package inspect
