package rapidtest_test

import (
	"fmt"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/redmoontest/rapidtest"
)

// A script that takes from a stock must leave no negative stock, whatever it is given.
func ExampleCheck() {
	take := engine.NewScript(`
		local n = tonumber(ARGV[1])
		if not n or n < 1 or n > tonumber(redis.call('GET', KEYS[1]) or 0) then return -1 end
		return redis.call('DECRBY', KEYS[1], ARGV[1])`)
	_ = func(t *testing.T) { // func TestTake(t *testing.T)
		rapidtest.Check(t, rapidtest.Property{
			Script: take,
			Fill:   rapidtest.KeyspaceOf(map[string][]string{"stock": {rapidtest.String}}),
			Calls:  rapidtest.Calls(rapidtest.Keys("stock"), rapidtest.Arg()),
			Invariant: func(e *redmoontest.Engine) error {
				if e.Exists("stock") && e.Get("stock")[:1] == "-" {
					return fmt.Errorf("the stock is %s", e.Get("stock"))
				}
				return nil
			},
		})
	}
}
