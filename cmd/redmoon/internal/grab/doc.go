// Package grab is the load of "redmoon grab". Workers let many users grab the packets of one or
// several activities of scripts/redpacket, on any [engine.Client]. An audit then compares the
// stored data with the prepared packets and with the answers that the workers received.
//
// There are more users than packets, and some users call twice, so that some calls find no packet
// left and some are refused. Each worker has its own counters and histogram, which are added up at
// the end. The workers share only one counter, the number of the next attempt, which is also the
// progress of the run.
package grab
