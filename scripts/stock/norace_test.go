//go:build !race

package stock_test

import "github.com/redmoon-lua/redmoon/internal/testing/tier"

const ease = 1

func rounds() int { return tier.Amount(10, 100) }
