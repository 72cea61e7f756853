package stock_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

func Example() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	sale, err := stock.New(e, "new-year", stock.Options{})
	if err != nil {
		panic(err)
	}
	err = errors.Join(
		sale.Define(ctx, stock.Item{Name: "phone", Quota: 1}),
		sale.Supply(ctx, "delivery-1", "phone", 2),
		sale.Open(ctx))
	if err != nil {
		panic(err)
	}

	phone := stock.Line{Item: "phone", Quantity: 1}
	for _, user := range []string{"ann", "ann", "bob", "cy"} {
		order, err := sale.Reserve(ctx, "order-of-"+user, user, phone) // the same token again is the same order
		if err != nil {
			fmt.Println(user, err)
			continue
		}
		fmt.Println(user, order.State)
	}
	_, err = sale.Reserve(ctx, "another-of-ann", "ann", phone)
	fmt.Println(errors.Is(err, stock.ErrSoldOut))

	paid, err := sale.Confirm(ctx, "order-of-ann")
	fmt.Println(paid.State, err)
	back, err := sale.Release(ctx, "order-of-bob")
	fmt.Println(back.State, err)
	_, err = sale.Reserve(ctx, "another-of-ann", "ann", phone)
	fmt.Println(err)
	status, err := sale.Status(ctx)
	fmt.Printf("%d left, %d reserved, %d sold, %v\n", status.Items[0].Left, status.Items[0].Reserved, status.Items[0].Sold, err)
	// Output:
	// ann reserved
	// ann reserved
	// bob reserved
	// cy stock: sold out: item "phone"
	// true
	// confirmed <nil>
	// released <nil>
	// stock: the user would exceed the quota: item "phone"
	// 1 left, 0 reserved, 1 sold, <nil>
}

// Seats are sold one by one.
func ExampleSale_SupplyUnits() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	concert, err := stock.New(e, "concert", stock.Options{})
	if err != nil {
		panic(err)
	}
	if err := errors.Join(concert.Define(ctx, stock.Item{Name: "seat", Strategy: stock.Units}), concert.Open(ctx)); err != nil {
		panic(err)
	}
	fmt.Println(concert.SupplyUnits(ctx, "seat", "A1", "A2", "A3"))
	order, err := concert.Reserve(ctx, "o1", "ann", stock.Line{Item: "seat", Quantity: 2})
	fmt.Println(order.Lines[0].Serials, err)
	fmt.Println(concert.Holder(ctx, "seat", "A2"))
	// Output:
	// 3 <nil>
	// [A1 A2] <nil>
	// o1 <nil>
}
