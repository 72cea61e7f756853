//go:build race

package redpacket_test

// racing says that the race detector slows everything down some ten times.
const racing = true
