// Package wild plays well-known packages that ship Lua scripts (job queues, rate limiters, locks,
// session stores) against the oracle and Redmoon at the same time. Only its tests use it; it is a
// module of its own, so that the packages stay out of the core's dependencies.
//
// # How it works
//
// A program makes a package's normal calls. Its connections end at a [Proxy], which sends every
// request first to redis-server 7.0.15 and then to Redmoon and records both replies: identifiers,
// time stamps and tokens that the package makes up are the same on both sides, because the package
// runs once. Requests of all connections go one after another. Before Redmoon is asked, its virtual
// clock is set to the time at which the oracle answered.
//
// Every program is played twice: once the package lives on the oracle's replies, once on Redmoon's.
// Three things must be the same: each raw reply, the transcripts of the two runs of the program,
// and the keyspaces that are left.
//
// # What may differ
//
// Order, where Redis promises none (SMEMBERS), what a server says of itself (INFO, MEMORY), and
// times: the two servers read their clocks at moments that are apart by no more than the oracle
// took to answer, and that time is measured.
//
// # Commands that wait, and messages
//
// A command that waits does so on both servers; other sessions go on meanwhile. Redmoon's clock
// does not pass the end of a wait before the oracle has said that the time is out. A connection
// that subscribes is subscribed on both; what it receives from each must be the same, in the same
// order.
//
// # What Redmoon does not have yet
//
// What a package needs and Redmoon lacks must be named by the program's [Program.Lacks].
package wild
