//go:build 386 || arm || mips || mipsle

package reply

// The code stores lengths, counters and packed values in 64-bit ints. The undefined name stops a
// build for a 32-bit processor.
var _ = redmoon_needs_a_64_bit_processor
