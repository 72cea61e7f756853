package main

import "time"

// stopwatch returns the time since an arbitrary moment; only differences are meaningful.
type stopwatch func() time.Duration

func wallClock() stopwatch {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
