package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

// pay moves cents. It fails after it has written if the other account does not hold a number.
var pay = engine.NewScript(`
redis.call('DECRBY', KEYS[1], ARGV[1])
redis.call('INCRBY', KEYS[2], ARGV[1])
return 'paid'`)

// As in Redis, a script that fails leaves what it has written. The error lists it.
func ExampleScriptError() {
	fmt.Println(payment(engine.Options{}))
	// Output:
	// kept: DECRBY ann 10
	// 90
}

// With Rollback, a script that fails leaves nothing.
func ExampleOptions_rollback() {
	fmt.Println(payment(engine.Options{OnScriptError: engine.Rollback}))
	// Output:
	// 100
}

// payment returns what ann has after a payment that fails.
func payment(o engine.Options) string {
	ctx := context.Background()
	e, err := engine.New(o)
	if err != nil {
		panic(err)
	}
	defer e.Close()
	if _, err := e.Do(ctx, "MSET", "ann", 100, "bob", "no number"); err != nil {
		panic(err)
	}
	_, err = pay.Run(ctx, e, []string{"ann", "bob"}, 10)
	var left *engine.ScriptError
	if errors.As(err, &left) {
		for _, w := range left.Writes {
			fmt.Println("kept:", w)
		}
	}
	v, err := e.Do(ctx, "GET", "ann")
	if err != nil {
		panic(err)
	}
	return v.Text()
}
