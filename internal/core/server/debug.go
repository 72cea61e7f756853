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

// debugAllowed reports whether enable-debug-command lets the session use DEBUG.
func (s *Server) debugAllowed(sess *Session) bool { return s.Enabled("enable-debug-command", sess) }

// Enabled reports whether a session may use what one of the parameters enable-* protects.
func (s *Server) Enabled(parameter string, sess *Session) bool {
	switch s.Config.Value(parameter) {
	case "yes":
		return true
	case "no":
		return false
	}
	return sess.local()
}

// local reports whether the session's peer is on this machine: in process, on a unix socket or on a
// loopback address.
func (sess *Session) local() bool {
	host := sess.Addr
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return host == "" || strings.Contains(host, "/") || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}
