//go:build !race

package engine_test

// hostileDefault is the number of hostile programs that are run: the listed ones and some random
// ones.
const hostileDefault = 260
