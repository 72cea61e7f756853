package coupon_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
)

func ExampleCoupon_Claim() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	spring, err := coupon.New(e, "spring", coupon.Options{Limits: []coupon.Limit{
		coupon.PerUserAndDay(1), coupon.InTotal(1000),
		{Name: "shop-week", Scope: []string{"shop"}, Window: coupon.Week, Max: 200},
	}})
	if err != nil {
		panic(err)
	}
	for _, order := range []string{"order-1", "order-1", "order-2"} {
		r, err := spring.Claim(ctx, order, coupon.Fields{"user": "ann", "shop": "berlin"})
		switch {
		case errors.Is(err, coupon.ErrDayLimit):
			fmt.Println(order, "comes a day too early")
		case err != nil:
			fmt.Println(order, err)
		default:
			fmt.Println(order, r.Outcome)
		}
	}
	r, err := spring.Undo(ctx, "order-1")
	fmt.Println(r.Outcome, err)
	// Output:
	// order-1 claimed
	// order-1 repeated
	// order-2 comes a day too early
	// undone <nil>
}

func ExampleCoupon_Usage() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	c, err := coupon.New(e, "welcome", coupon.Options{Limits: []coupon.Limit{coupon.PerUser(3), coupon.InTotal(100)}})
	if err != nil {
		panic(err)
	}
	if _, err := c.Claim(ctx, "token", coupon.Fields{"user": "ann"}); err != nil {
		panic(err)
	}
	list, err := c.Usage(ctx, coupon.Fields{"user": "ann"})
	for _, u := range list {
		fmt.Println(u.Limit.Name, u.Used, u.Left())
	}
	fmt.Println(err)
	// Output:
	// user 1 2
	// total 1 99
	// <nil>
}
