package lock_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

func Example() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	nightly, err := lock.New(e, "nightly-report", lock.Options{TTL: 10 * time.Second, Watchdog: true})
	if err != nil {
		panic(err)
	}

	lease, err := nightly.TryAcquire(ctx, 0)
	fmt.Println(lease.Outcome(), err)
	_, err = nightly.TryAcquire(ctx, time.Millisecond)
	fmt.Println(errors.Is(err, lock.ErrNotAcquired))

	work, cancel := lease.Context(ctx) // ends when the lock is lost
	defer cancel()
	fmt.Println(work.Err())

	outcome, err := lease.Release(ctx)
	<-work.Done()
	fmt.Println(outcome, err, context.Cause(work))
	// Output:
	// acquired <nil>
	// true
	// <nil>
	// released <nil> lock: not held any more: released
}

func ExampleLock_As() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	account, err := lock.New(e, "account:17", lock.Options{})
	if err != nil {
		panic(err)
	}
	mine := account.As("order:4711")
	outer, _ := mine.Acquire(ctx)
	inner, _ := mine.Acquire(ctx)
	fmt.Println(outer.Outcome(), inner.Outcome(), outer.Token() == inner.Token())
	fmt.Println(inner.Release(ctx))
	fmt.Println(outer.Release(ctx))
	// Output:
	// acquired reentered true
	// still held <nil>
	// released <nil>
}

// A holder that has lost the lock without noticing cannot overwrite what the next one has written.
func ExampleRegister() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	l, err := lock.New(e, "leader", lock.Options{})
	if err != nil {
		panic(err)
	}
	address, err := lock.NewRegister(e, "leader-address")
	if err != nil {
		panic(err)
	}
	first, _ := l.Acquire(ctx)
	_, _ = e.Do(ctx, "DEL", "lock:{leader}") // as if a failover had lost the key
	second, _ := l.Acquire(ctx)

	fmt.Println(address.Write(ctx, second.Token(), "10.0.0.2"))
	err = address.Write(ctx, first.Token(), "10.0.0.1")
	fmt.Println(errors.Is(err, lock.ErrStale))
	value, _, _ := address.Read(ctx)
	fmt.Println(value)
	// Output:
	// <nil>
	// true
	// 10.0.0.2
}
