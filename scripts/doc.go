// Package scripts is the folder of the ready scripts; it has no code. Each of its packages is a few
// Lua scripts with a typed Go API:
//
//	redpacket       hands out prepared red packets
//	coupon          hands out coupons under limits
//	stock           sells items of which there is a limited number
//	ratelimit       lets a limited number of calls through per period
//	lock            a lock with leases and fencing tokens; lock/redlock over several servers
//	delayqueue      a queue of messages, now or later, with retries and dead letters
//
// They follow one contract, so what you know of one holds for all:
//
// Constructors. New(c, name, o) returns the thing of that name on c, an [engine.Client]: an engine,
// a cluster of engines, or package goredis on a server or a Redis Cluster. It sends nothing. A name
// is 1 to 512 bytes of UTF-8 without braces; it is the hash tag of all keys, so all scripts work on
// a cluster. o is an Options; a zero field means the default that its comment gives. New returns
// ErrName or ErrOptions.
//
// Calls. A call that changes something takes a context first and can be repeated (except in
// ratelimit, where a repeated call counts twice): a token, an id or the user identifies what it
// does, and doing it again changes nothing. It returns what it did as an Outcome, or as the thing
// that it changed, and an error of the package for every outcome that refuses the call. Unknown,
// the zero Outcome, means that the call failed or that it is unknown whether it was carried out.
// Status describes the whole thing at one moment; Find, Peek and Usage look up one part. They
// change nothing.
//
// Names. Retention is how long something that is over is remembered. Keys returns the keys in the
// order of the scripts' KEYS. GrabScript, ClaimScript and so on return the script behind a method,
// for callers in other languages and for benchmarks.
//
// Replies of Lua scripts. A reply has an outcome, a word in lower case. An outcome without details
// is a text; an outcome with details is a list that begins with it: 'empty', {'grabbed', packet}.
// The comment at the head of each Lua file lists KEYS, ARGV and all outcomes.
//
// docs/scripts describes each package for its users: guarantees, keys, failures, costs.
package scripts
