// Package ratelimit lets so many calls through in a period of time, for each key on its own: for each user, address or tenant. There are five
// algorithms, from the cheapest to the most exact; see [Algorithm].
//
// All arithmetic is in whole microseconds and whole parts of them, so nothing is rounded but what callers are told: to wait for
// [Decision.RetryAfter] is enough, and a microsecond less is not. The time is that of the server's clock.
//
// The state of a key is one key of Redis, which expires by itself when all is left again:
//
//	ratelimit:gcra:api:{ann}    of the limiter "api" for "ann"
package ratelimit
