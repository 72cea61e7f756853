// Package clients lets published client libraries, each by its own package, work with "redmoon
// serve", in a process as a user starts it. It is a module of its own, so that the libraries stay
// out of the core's dependencies; only its tests use it.
//
// # How it works
//
// A test is a function of a server. It makes the calls that programs make (handshake, pipelines,
// transactions, messages, scripts, streams, calls that wait, a connection that is killed), requires
// what must come of them, and prints what the library returned, without times and names that differ
// from run to run. It runs against redis-server 7.0.15 first, where that is installed, and then
// against Redmoon; both must print the same. A test that fails on both is itself wrong.
//
// Libraries of npm are driven by the programs in the folder npm, run by node.js.
package clients
