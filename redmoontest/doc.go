// Package redmoontest gives tests an engine of their own, as net/http/httptest gives them a server:
//
//	func TestClaim(t *testing.T) {
//		e := redmoontest.New(t)
//		e.MustDo("SET", "stock", 1, "EX", 60)
//		v := e.MustRun(e.Script("claim.lua"), []string{"stock"}, "ann")
//		...
//		e.Advance(61 * time.Second)
//		require.Empty(t, e.Keyspace())
//	}
//
// The engine begins empty, at [Start], on a clock that only [Engine.Advance] moves, so nothing in a
// test waits and every run is the same. What scripts log goes to the test's log. When the test
// ends, the invariants of the keyspace are checked and the engine is closed. An engine costs
// little: tests may run by the thousand in parallel, each with its own.
package redmoontest
