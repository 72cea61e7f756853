// Package harness is what a test has of an engine beside running commands. It makes commands fail,
// remembers commands, copies databases and compares them, and describes all this to people. It
// knows neither package testing nor Lua: package redmoontest gives it to tests in Go, and
// internal/tools/luatest to tests in Lua.
//
// A [Watch] sees the commands of one engine through a probe: it injects the [Fault]s and keeps the
// [Call]s. A [Keyspace] is a copy of one database: of an engine ([Copy]) or of any server
// ([Read]). [Line], [OneLine] and [Called] show commands, replies and calls.
//
// The probe runs on the engine's goroutine. The mutex of the Watch guards what it shares with the
// goroutine of the test; everything else belongs to its caller.
package harness
