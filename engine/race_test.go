//go:build race

package engine_test

// hostileDefault is the number of hostile programs that are run: few, because the race detector
// makes them slow and only one goroutine matters.
const hostileDefault = 40
