package luatest

import "time"

// SetAfter replaces time.AfterFunc for time-outs.
func SetAfter(o *Options, after func(d time.Duration, f func()) (stop func() bool)) { o.after = after }
