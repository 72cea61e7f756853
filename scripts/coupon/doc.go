// Package coupon hands out coupons under limits: so many a user and day, so many a user, so many in total, and any others that can be said
// as a [Limit]. A claim is made under all limits of its coupon or not at all, once for each token, and can be undone.
//
// All keys of a coupon share the hash tag {id}:
//
//	coupon:{id}:ever              hash: the counts of the limits without a window
//	coupon:{id}:day:2026-01-31    hash: the counts of the limits a day; so with week:2026-W05 and month:2026-01
//	coupon:{id}:claims:2926       hash of token to claim, for one stretch of time as long as the retention
//
// A count is in the field name:value:value, of the limit's name and what its scope is in the claim: "user:ann". The keys of windows and
// of claims expire by themselves; "ever" does if the coupon has an end.
//
// Days, weeks and months are those of a time zone, and what time it is the server's clock says. The caller works out between which
// instants the keys it names are the right ones, and the scripts refuse to work outside of them and tell the time; the caller then works them out
// for that time. So no clock of a caller takes part, and a boundary is where it should be, also where clocks are moved forward or back.
package coupon
