// Package luatest runs tests of Redis Lua scripts that are written in Lua, in the words of busted:
// the files *_test.lua and *_spec.lua of `redmoon test` and of redmoontest.RunLua.
//
// A [File] is a test file in a Lua state of its own ([luabridge.Tool]). It is run in two steps: the
// text of the file makes a tree of blocks and tests ([Load]); then the tests run, each with an
// engine of its own. [Run] does so with many files, several at a time.
//
// # Rooms
//
//   - luatest: the tree, the order of hooks and tests, results, the search for files, watching
//   - testredis: what a test has of Redis
//   - assert: assertions, spies, stubs
//   - luavalue: values compared and shown
//   - snapshot: recorded values
//   - report: results for people and programs
//
// # Order
//
// As in busted: the setup functions of a block run once, before its first test; before_each runs
// before each test, the outermost block first; after_each after it, the innermost first, also if
// the test has failed, for the blocks whose before_each has run; finally between the test and
// after_each. If setup fails, the tests of the block do not run. Globals that a block or a test
// sets are gone when it ends, and so are its spies and stubs.
package luatest
