package config

import (
	"strconv"
	"strings"
)

// ClientMemory is maxmemory-clients: a number of bytes or a share of maxmemory.
type ClientMemory struct {
	Limit uint64 // bytes; 0: see Share
	Share uint64 // percent of maxmemory; 0: unlimited
}

func (m *ClientMemory) set(value string) {
	digits, percent := strings.CutSuffix(value, "%")
	n, _ := strconv.ParseUint(digits, 10, 64) // has been checked
	*m = ClientMemory{Limit: n}
	if percent {
		*m = ClientMemory{Share: n}
	}
}
