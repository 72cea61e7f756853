package delayqueue_test

import (
	"context"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

func ExampleQueue_Run() {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	q, err := delayqueue.New(e, "orders", delayqueue.Options{
		Backoff: delayqueue.Exponential(time.Millisecond, time.Second),
	})
	if err != nil {
		panic(err)
	}
	for _, id := range []string{"order 1", "order 2", "order 1"} {
		out, err := q.Enqueue(ctx, delayqueue.Message{ID: id, Payload: []byte("3 shoes")})
		fmt.Println(id, "is", out, err)
	}
	if _, err := q.EnqueueAfter(ctx, delayqueue.Message{ID: "close", Payload: []byte("we close")}, 100*time.Millisecond); err != nil {
		panic(err)
	}
	err = q.Run(ctx, "worker 1", func(ctx context.Context, batch []*delayqueue.Delivery) error {
		for _, d := range batch {
			fmt.Printf("%s, attempt %d: %s\n", d.ID, d.Attempt, d.Payload)
			switch {
			case d.ID == "close":
				cancel()
			case d.ID == "order 2" && d.Attempt == 1:
				d.Retry(delayqueue.Backoff)
			}
		}
		return nil // what is not decided is committed
	})
	fmt.Println(err)
	// Output:
	// order 1 is queued <nil>
	// order 2 is queued <nil>
	// order 1 is duplicate <nil>
	// order 1, attempt 1: 3 shoes
	// order 2, attempt 1: 3 shoes
	// order 2, attempt 2: 3 shoes
	// close, attempt 1: we close
	// context canceled
}

// A script that sells an item adds the order to a queue's ready stream in the same atomic step:
// there is no sale without a message, and no message without a sale.
func ExampleOn() {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	q, err := delayqueue.On(e, "shop:{7}:orders", delayqueue.Options{})
	if err != nil {
		panic(err)
	}
	sell := engine.NewScript(`
		if redis.call('DECR', KEYS[1]) < 0 then
			redis.call('INCR', KEYS[1])
			return redis.error_reply('SOLDOUT nothing is left')
		end
		return redis.call('XADD', KEYS[2], '*', 'id', ARGV[1], 'payload', ARGV[2])`)
	if _, err := e.Do(ctx, "SET", "shop:{7}:stock", 1); err != nil {
		panic(err)
	}
	for _, order := range []string{"order 1", "order 2"} {
		_, err = sell.Run(ctx, e, []string{"shop:{7}:stock", q.StreamKey()}, order, "ann")
		fmt.Println(order, err)
	}
	err = q.Run(ctx, "settlement", func(_ context.Context, batch []*delayqueue.Delivery) error {
		for _, d := range batch {
			fmt.Printf("settled: %s for %s\n", d.ID, d.Payload)
		}
		cancel()
		return nil
	})
	fmt.Println(err)
	// Output:
	// order 1 <nil>
	// order 2 SOLDOUT nothing is left
	// settled: order 1 for ann
	// context canceled
}
