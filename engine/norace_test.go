//go:build !race

package engine_test

// hostileDefault is how many hostile programs are played: those that are kept, and some random
// ones.
const hostileDefault = 260
