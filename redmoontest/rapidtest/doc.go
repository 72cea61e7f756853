// Package rapidtest tests scripts with random keyspaces and arguments, on engines of package
// redmoontest, with the generators and the shrinking of pgregory.net/rapid. It is a package of its
// own so that package redmoontest does not need rapid.
//
// A [Property] says how a script is called and what must hold; [Check] looks for calls that break
// it:
//
//	rapidtest.Check(t, rapidtest.Property{
//		Script: claim,
//		Fill:   rapidtest.Keyspace("stock", "claims"),
//		Calls:  rapidtest.Calls(rapidtest.Keys("stock", "claims"), rapidtest.Arg()),
//		Invariant: func(e *redmoontest.Engine) error { ... },
//	})
//
// A failure shows the smallest keyspace and calls that were found, and how to repeat them: by
// -rapid.seed, or by the file that rapid writes to testdata/rapid. -rapid.checks is the number of
// runs, 100 by default.
package rapidtest
