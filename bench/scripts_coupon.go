package main

import "github.com/redmoon-lua/redmoon/scripts/coupon"

// couponWorkload claims coupons with three limits, as coupon.Coupon does: each user once a day.
func couponWorkload() workload {
	return workload{
		name: "coupon", script: coupon.ClaimScript(), nkeys: 5,
		op: func(dst []string, i int) []string {
			u := user(i)
			day, ever := "user-day:"+u, "user:"+u
			return append(dst, "coupon:{b}:claims:2926", "coupon:{b}:claims:2925",
				"coupon:{b}:ever", "coupon:{b}:ever", "coupon:{b}:day:2026-01-31",
				numbered("token:", i), "user="+u+"\never "+ever+" total\nday:2026-01-31 "+day,
				"0", "9007199254740991", "2", "9007199254740",
				ever, "2", "-1", "total", "100000000", "-1", day, "1", "9007199254740")
		},
	}
}
