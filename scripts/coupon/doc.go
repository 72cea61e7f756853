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
// Days, weeks and months are those of a time zone, and the clock is the server's. The Go side
// computes the keys of a moment and the two instants between which they are valid. The scripts
// compare the server's clock with these instants; outside of them they change nothing and return
// the time, and the Go side computes the keys for that time. So the clock of the caller is never
// read, and a boundary is exact even when clocks are moved.
package coupon
