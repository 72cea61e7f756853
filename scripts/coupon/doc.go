// Package coupon hands out coupons under three limits: per user and day, per user, and in total.
//
// A coupon lives in keys that share the hash tag {coupon}:
//
//	coupon:{id}:day:20260131   hash of user to claims of that day; expires two days later
//	coupon:{id}:users          hash of user to claims
//	coupon:{id}:total          number of claims
package coupon
