//go:build !race

package stock_test

const rounds, ease = 100, 1
