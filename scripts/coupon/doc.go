// Package coupon hands out coupons under limits: per user and day, per user, in total, and any
// other limit that a [Limit] describes. A claim is made under all limits of its coupon or not at
// all, once per token, and can be undone.
//
// All keys of a coupon share the hash tag {name}:
//
//	coupon:{name}:ever              hash: the counts of the limits without a window
//	coupon:{name}:day:2026-01-31    hash: the counts of the limits per day; likewise
//	                                week:2026-W05 and month:2026-01
//	coupon:{name}:claims:2926       hash: token to claim, for one period as long as the retention
//
// A count is in the field name:value:value, made of the name of the limit and the values of its
// scope in the claim: "user:ann". The keys of windows and claims expire by themselves; "ever"
// expires if the coupon has an end.
//
// Days, weeks and months are those of a time zone, and the clock is the server's. The caller
// computes which keys are right and between which two instants they are right. The scripts check
// their clock against these instants; outside of them they change nothing and return the time, and
// the caller computes the keys for that time. So no clock of a caller is read, and a boundary is
// exact even when clocks are moved.
package coupon
