package config

import (
	"strconv"
	"strings"
)

// ClientMemory is maxmemory-clients.
type ClientMemory struct {
	Limit uint64 // bytes, or
	Share uint64 // percent of maxmemory
}

func (m *ClientMemory) set(value string) {
	digits, percent := strings.CutSuffix(value, "%")
	n, _ := strconv.ParseUint(digits, 10, 64) // has been checked
	*m = ClientMemory{Limit: n}
	if percent {
		*m = ClientMemory{Share: n}
	}
}
