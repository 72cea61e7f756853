// Package miniredis has the functions and methods of miniredis 2.40
// (github.com/alicebob/miniredis/v2) on an engine of this module, so that a test suite changes one
// import and runs on the commands, the errors and the Lua of Redis:
//
//	import "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
//
//	func TestSomething(t *testing.T) {
//		s := miniredis.RunT(t)
//		s.Set("foo", "bar")
//		...
//		s.CheckGet(t, "foo", "bar")
//	}
//
// docs/from-miniredis.md lists every method and what differs. New tests are better written with
// package redmoontest.
//
// # Time
//
// Time is as in miniredis. Times to live stand still: only [Miniredis.FastForward] shortens them,
// and a key is gone when its time to live reaches 0. What asks for the time of day (TIME, EXPIREAT,
// stream IDs, idle times) gets the machine's time, or that of [Miniredis.SetTime], which
// FastForward does not move. Commands that wait, such as BLPOP, wait in real time. With
// [Miniredis.ClockTTL] times to live follow the time of day.
//
// In a bubble of testing/synctest the machine's time is that of the bubble; use [Miniredis.Dial].
//
// # Life
//
// Data lives as long as the [Miniredis], also before Start, between Close and Restart and after
// Close. The engine runs, with its goroutines, from Start or Dial to Close; at other times a method
// that needs it starts it and stops it again.
package miniredis
