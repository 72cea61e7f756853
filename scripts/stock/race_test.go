//go:build race

package stock_test

// The race detector makes everything slow, and sees in a few rounds what it sees in many.
const ease = 5

func rounds() int { return 3 }
