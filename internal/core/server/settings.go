package server

import (
	"github.com/redmoon-lua/redmoon/internal/core/config"
)

// settings are the configuration, and what identifies the server.
type settings struct {
	Config     *config.Config
	ConfigFile string // the path of the file that CONFIG REWRITE writes; "" if none
	runID      string
}

// RunID returns the 40 hexadecimal digits that identify this run of the server.
func (s *settings) RunID() string { return s.runID }

// LimitsClientMemory reports whether maxmemory-clients is set.
func (s *settings) LimitsClientMemory() bool { return s.Config.ClientMemory != config.ClientMemory{} }

// clientLimit returns the limit in bytes; 0 means no limit.
func (s *settings) clientLimit() uint64 {
	limit := s.Config.ClientMemory.Limit
	if share := s.Config.ClientMemory.Share; share > 0 {
		limit = s.Config.Memory.Limit / 100 * share
	}
	if limit == 0 {
		return 0
	}
	return max(limit, leastClientLimit)
}

// NeedsClientCheck reports whether the configuration requires calls of CheckClients.
func (s Control) NeedsClientCheck() bool {
	return s.Config.ConnLimits().IdleTimeout > 0 || s.Config.NormalLimit.Soft > 0 || s.LimitsClientMemory()
}

func (s *settings) replicaReadOnly() bool { return s.Config.Value("replica-read-only") == "yes" }

// deletion returns the command that deletes a key.
func (s *settings) deletion(lazily string) string {
	if s.Config.Value(lazily) == "yes" {
		return "UNLINK"
	}
	return "DEL"
}

// debugAllowed reports whether enable-debug-command lets the session use DEBUG.
func (s *settings) debugAllowed(sess *Session) bool { return s.Enabled("enable-debug-command", sess) }

// Enabled reports whether a session may use what one of the parameters enable-* protects.
func (s *settings) Enabled(parameter string, sess *Session) bool {
	switch s.Config.Value(parameter) {
	case "yes":
		return true
	case "no":
		return false
	}
	return sess.local()
}
