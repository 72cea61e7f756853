package config

import (
	"strconv"
	"strings"
)

// ClientConfig is maxmemory-clients.
type ClientConfig struct {
	Limit uint64 // bytes, or
	Share uint64 // percent of maxmemory
}

func (m *ClientConfig) set(value string) {
	digits, percent := strings.CutSuffix(value, "%")
	n, _ := strconv.ParseUint(digits, 10, 64) // has been checked
	*m = ClientConfig{Limit: n}
	if percent {
		*m = ClientConfig{Share: n}
	}
}
