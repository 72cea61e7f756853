//go:build race

package engine_test

// Numbers of hostile programs: few, because the race detector makes them slow and only one
// goroutine matters.
const hostileShort, hostileLong = 20, 40
