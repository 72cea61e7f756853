//go:build !race

package redpacket_test

const racing = false
