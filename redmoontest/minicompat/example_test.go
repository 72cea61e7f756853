package miniredis_test

import (
	"fmt"
	"time"

	miniredis "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
)

// As with miniredis, only FastForward shortens times to live.
func Example() {
	s, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer s.Close()
	// Clients connect to s.Addr().

	_ = s.Set("session", "ann")
	s.SetTTL("session", time.Minute)
	fmt.Println(s.TTL("session"))
	s.FastForward(time.Minute)
	fmt.Println(s.Exists("session"))
	// Output:
	// 1m0s
	// false
}
