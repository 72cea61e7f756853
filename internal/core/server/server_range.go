package server

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// serverRange is a range of servers: those that have what exists since one release, but not what
// exists since the other.
type serverRange struct{ since, until servers.Since }

// never is since when no server has something.
const never servers.Since = "-/-"

// everywhere is the range of all servers.
var everywhere = since("")

func since(s servers.Since) serverRange { return serverRange{since: s, until: never} }
func until(s servers.Since) serverRange { return serverRange{until: s} }

// has reports whether a server is in the range.
func (r serverRange) has(s servers.Server) bool { return s.HasSince(r.since) && !s.HasSince(r.until) }
