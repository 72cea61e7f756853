// Package testfrom makes a Lua test (docs/test.md) of a recording (package recording).
//
// The recording is replayed first. Its commands, in the order in which the replay runs them, become
// the calls of one test, each with the recorded reply as an assertion. A test has one session: the
// commands of transactions and of all connections follow each other there. Then the calls run on an
// engine as a test has it. A call that has another reply there than in the replay, because of the
// one session, is not compared; a call that would wait is left out.
package testfrom
