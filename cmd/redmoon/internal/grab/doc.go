// Package grab is the load behind "redmoon grab": workers let many users grab the packets of one activity of
// scripts/redpacket, or of several, on any [engine.Client], and an audit compares what is stored afterwards
// with what was prepared and with what the workers were told.
//
// More users come than there are packets, and some come twice, so that calls find nothing left
// or are refused. Each worker owns its counters and its histogram; they are put together at the end. The
// workers share one counter, the number of the next attempt, which is all that progress needs.
package grab
