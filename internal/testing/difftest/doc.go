// Package difftest compares Redmoon with the oracle, a real redis-server 7.0.15, byte by byte.
// Only tests import it.
//
// # Vocabulary
//
// A case file (testdata/<family>/<subject>.rdt) holds commands, one a line, and directives that
// begin with "!"; [ParseFile] knows them all. A pass plays one file through one door:
//
//	resp  raw bytes over a connection to a resp.Server
//	go    engine.Session, its Value encoded as the server would encode it
//	call  each command wrapped in EVAL "return redis.call(unpack(ARGV))" (with redis.setresp(3)
//	      before it while the session speaks RESP3)
//	exec  each command between MULTI and EXEC
//
// The oracle plays the same wrapped commands over its own connection. What it answered is compared
// with what Redmoon answered; directives such as !unordered relax single comparisons.
//
// # Where the oracle's replies come from
//
// With redis-server 7.0.15 on the PATH an [Oracle] is started on a free loopback port and asked
// live. Without it the golden beside each case file is replayed; goldens are written only from live
// replies (make record). The environment decides as well: REDMOON_ORACLE=require (or CI=true) makes
// a missing oracle a failure, REDMOON_ORACLE=off replays goldens in any case.
//
// # Time
//
// Redmoon runs on a virtual clock that stands at the time at which the oracle began the file;
// only !wait moves it. The oracle really waits.
package difftest
