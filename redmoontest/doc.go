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
// A reply is compared as plain Go values with [reply.Value.Plain]:
//
//	require.Equal(t, []any{"ann", int64(2)}, v.Plain())
//
// The engine is empty at first; [Engine.Load] fills it from a file. Its clock shows [Start]
// and moves only when the test calls [Engine.Advance] or [Engine.SetTime], so a test never waits
// and every run is the same. What scripts log goes to the log of the test. At the end of the test
// the invariants of the keyspace are checked and the engine is closed. An engine is cheap:
// thousands of tests can run in parallel, each with its own.
package redmoontest
