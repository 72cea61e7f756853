// Package ratelimit lets a limited number of calls through per period, separately for each key,
// such as a user, an address or a tenant. There are five algorithms, from the cheapest to the most
// exact; see [Algorithm].
//
// All arithmetic is exact, in whole microseconds and whole fractions of them. Only durations that
// are returned are rounded, up to whole microseconds: a call after [Decision.RetryAfter] succeeds,
// and a call one microsecond earlier does not, unless other calls come between. The clock is the
// server's.
//
// The state of a key of the limiter is one key of Redis. It expires by itself once everything is
// available again:
//
//	ratelimit:gcra:api:{ann}    the limiter "api" with the algorithm GCRA, for the key "ann"
package ratelimit
