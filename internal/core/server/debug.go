package server

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// debugState holds the switches of DEBUG.
type debugState struct {
	SkipChecksum  bool // SET-SKIP-CHECKSUM-VALIDATION
	AllowNoScript bool // SET-DISABLE-DENY-SCRIPTS: scripts may call commands that scripts are denied
	Saved         *datastore.Snapshot
	Libraries     []string // the texts of the libraries saved with the keyspace
}

// local reports whether the session's peer is on this machine: in process, on a unix socket or on a
// loopback address.
func (c *connection) local() bool {
	host := c.Addr
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return host == "" || strings.Contains(host, "/") || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}
