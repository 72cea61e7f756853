package redpacket_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

func ExampleActivity() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	activity, err := redpacket.New(e, "new-year", redpacket.Options{Sender: "zoe"})
	if err != nil {
		panic(err)
	}
	packets := []redpacket.Packet{{ID: "p1", Amount: 888}, {ID: "p2", Amount: 112}}
	if err := activity.Open(ctx, packets); err != nil {
		panic(err)
	}
	grab := func(user string) {
		g, err := activity.Grab(ctx, user)
		switch {
		case errors.Is(err, redpacket.ErrAlreadyGrabbed):
			fmt.Println(user, "has", g.ID, "already")
		case err != nil:
			fmt.Println(user, "gets nothing:", err)
		default:
			fmt.Println(user, "takes", g.ID, "with", g.Amount, "cents")
		}
	}
	grab("ann")
	grab("ann")
	refund, err := activity.Expire(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(refund.User, "gets back", refund.Amount, "cents")
	grab("bob")
	// Output:
	// ann takes p1 with 888 cents
	// ann has p1 already
	// zoe gets back 112 cents
	// bob gets nothing: redpacket: activity has expired
}

// What was grabbed and refunded is settled by a queue, whose handler enters it into a database.
func ExampleActivity_Settlement() {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	activity, err := redpacket.New(e, "new-year", redpacket.Options{Sender: "zoe"})
	if err != nil {
		panic(err)
	}
	packets := []redpacket.Packet{{ID: "p1", Amount: 888}, {ID: "p2", Amount: 112}}
	if err := activity.Open(ctx, packets); err != nil {
		panic(err)
	}
	if _, err := activity.Grab(ctx, "ann"); err != nil {
		panic(err)
	}
	if _, err := activity.Expire(ctx); err != nil {
		panic(err)
	}
	queue, err := activity.Settlement(delayqueue.Options{})
	if err != nil {
		panic(err)
	}
	_ = queue.Run(ctx, "books", func(_ context.Context, batch []*delayqueue.Delivery) error {
		for _, d := range batch { // in one transaction: INSERT … ON CONFLICT (id) DO NOTHING
			r, err := redpacket.ParseRecord(d.Payload)
			if err != nil {
				return err
			}
			fmt.Println(d.ID+":", r.User, "gets", r.Amount, "cents")
			if r.Refund {
				cancel()
			}
		}
		return nil
	})
	// Output:
	// p1: ann gets 888 cents
	// refund:new-year: zoe gets 112 cents
}
