package scripts_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// All packages follow the contract: New sends nothing, a token makes a call repeatable, and every
// refusal is an error of the package.
func Example() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{}) // or goredis.New(rdb) for a server
	if err != nil {
		panic(err)
	}
	defer e.Close()

	vouchers, err := coupon.New(e, "spring", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(1)}})
	if err != nil {
		panic(err)
	}
	for range 2 { // the second call repeats the first
		got, err := vouchers.Claim(ctx, "order-1", nil)
		fmt.Println(got.Outcome, err)
	}
	_, err = vouchers.Claim(ctx, "order-2", nil)
	fmt.Println(errors.Is(err, coupon.ErrSoldOut))

	_, err = stock.New(e, "{spring}", stock.Options{})
	fmt.Println(errors.Is(err, stock.ErrName))
	// Output:
	// claimed <nil>
	// repeated <nil>
	// true
	// true
}
