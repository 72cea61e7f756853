// Package baselib has the global functions of Redis's Lua that need only values: assert, error,
// next, pairs, ipairs, rawequal, rawget, rawset, select, getmetatable, setmetatable, tonumber,
// tostring, type and unpack. Those that run other code (pcall, xpcall, load, loadstring,
// coroutines) are in package luabridge.
package baselib
