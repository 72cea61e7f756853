//go:build race

package engine_test

// hostileDefault is how many hostile programs are played: few, because they are slow with the race
// detector and have one goroutine that matters.
const hostileDefault = 40
