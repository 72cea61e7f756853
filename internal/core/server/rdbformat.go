package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// RelaxedVersions reports whether dumps and RDB files of unknown versions are read.
func (s *Server) RelaxedVersions() bool {
	return s.Follows.Has(servers.ValkeyFiles) && s.Config.Value("rdb-version-check") == "relaxed"
}

// FileReading says how RDB files are read.
func (s *Server) FileReading() datastore.FileReaderOptions {
	return datastore.FileReaderOptions{
		Version: s.Follows.DumpVersion(), Relaxed: s.RelaxedVersions(), Valkey: s.Follows.Has(servers.ValkeyFiles),
		SkipChecksum: s.Config.Value("rdbchecksum") == "no",
	}
}

// FileVersions returns what RDB files say about the version of the server: that of Redis, or of
// Valkey.
func (s *Server) FileVersions() (redis, valkey string) {
	if s.Follows.Has(servers.ServerInFiles) {
		return "", s.Follows.Release()
	}
	return s.Follows.RedisRelease(), ""
}
