package redmoontest_test

import (
	"fmt"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// Two clients look at the stock before they take a coupon. The report shows the shortest order of
// their steps that sells the last one twice. As a script the same code passes.
func ExampleExplore() {
	play := redmoontest.Play{
		Setup: func(e *redmoontest.Engine) { e.MustDo("SET", "stock", 1) },
		Check: func(s *redmoontest.State) error {
			if left := s.Get("stock"); left < "0" {
				return fmt.Errorf("%s coupons are left", left)
			}
			return nil
		},
	}
	inGo := func(c *redmoontest.StepClient) {
		if c.MustDo("GET", "stock").MustInt() > 0 {
			c.MustDo("DECR", "stock")
		}
	}
	claim := engine.NewScript(`
		if tonumber(redis.call('GET', KEYS[1])) > 0 then
			redis.call('DECR', KEYS[1])
		end`)
	asScript := func(c *redmoontest.StepClient) { c.MustRun(claim, []string{"stock"}) }

	run(func(t testing.TB) { // func TestClaim(t *testing.T)
		redmoontest.Explore(t, play, redmoontest.Client{Name: "ann", Run: inGo}, redmoontest.Client{Name: "bob", Run: inGo})
	})
	run(func(t testing.TB) {
		r := redmoontest.Explore(t, play, redmoontest.Client{Name: "ann", Run: asScript}, redmoontest.Client{Name: "bob", Run: asScript})
		fmt.Println("\nas a script:", r.Orders, "orders, complete:", r.Complete)
	})
	// Output:
	// redmoontest: Explore: check: -1 coupons are left
	//
	// step  ann               bob
	//    1  GET stock -> "1"
	//    2                    GET stock -> "1"
	//    3                    DECR stock -> 0
	//    4  DECR stock -> -1
	//
	// the keyspace before step 4:
	//   "stock" = "0"
	// step 4 changes:
	// - "stock" = "0"
	// + "stock" = "-1"
	//
	// to run this order alone: Play{Order: "1 2 2 1"}, or
	//   REDMOON_ORDER="1 2 2 1" go test -run '^TestClaim$'
	// found after 2 orders
	//
	// as a script: 2 orders, complete: true
	// PASS
}
