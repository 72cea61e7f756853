package main

import "time"

// stopwatch tells how long something took since some moment; only differences mean anything.
type stopwatch func() time.Duration

func wallClock() stopwatch {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
