//go:build race

package stock_test

// The race detector makes everything slow, and sees in a few rounds what it sees in many.
const rounds, ease = 3, 5
