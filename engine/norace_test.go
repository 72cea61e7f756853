//go:build !race

package engine_test

// Numbers of hostile programs in make test, and in .ci/run: there the listed ones and some random
// ones.
const hostileShort, hostileLong = 60, 260
