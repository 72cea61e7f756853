package redpacket_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

func ExampleActivity_Grab() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	activity, err := redpacket.New(e, "new-year")
	if err != nil {
		panic(err)
	}
	if err := activity.Open(ctx, []redpacket.Packet{{ID: "p1", Amount: 888}}); err != nil {
		panic(err)
	}
	for _, user := range []string{"ann", "ann", "bob"} {
		p, err := activity.Grab(ctx, user)
		switch {
		case errors.Is(err, redpacket.ErrAlreadyGrabbed):
			fmt.Println(user, "has", p.ID, "already")
		case errors.Is(err, redpacket.ErrEmpty):
			fmt.Println(user, "is too late")
		default:
			fmt.Println(user, "takes", p.ID, "with", p.Amount, "cents")
		}
	}
	// Output:
	// ann takes p1 with 888 cents
	// ann has p1 already
	// bob is too late
}
