package redlock_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/redlock"
)

func ExampleLock_TryAcquire() {
	ctx := context.Background()
	var nodes []engine.Client // in production: goredis.New of a client of each server
	for range 3 {
		e, err := engine.New(engine.Options{})
		if err != nil {
			panic(err)
		}
		defer e.Close()
		nodes = append(nodes, e)
	}
	l, err := redlock.New(nodes, "nightly-report", redlock.Options{})
	if err != nil {
		panic(err)
	}
	lease, err := l.TryAcquire(ctx, 0)
	if err != nil {
		panic(err)
	}
	_, err = l.TryAcquire(ctx, 0)
	fmt.Println(errors.Is(err, lock.ErrNotAcquired))
	fmt.Println(lease.Release(ctx))
	// Output:
	// true
	// released <nil>
}
