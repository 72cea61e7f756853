package server

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// ClientType returns the type by which CLIENT LIST and CLIENT KILL filter.
func (sess *Session) ClientType() string {
	switch {
	case sess.Master:
		return "master"
	case sess.Peer == PeerReplica:
		return "replica"
	case sess.subscribed > 0:
		return "pubsub"
	}
	return "normal"
}

// Flags returns the letters in the field flags of CLIENT LIST.
func (sess *Session) Flags() string {
	flags := ""
	add := func(set bool, letter string) {
		if set {
			flags += letter
		}
	}
	add(sess.Monitors, "O")
	add(!sess.Monitors && sess.Peer == PeerReplica, "S")
	add(sess.Master, "M")
	add(sess.subscribed > 0, "P")
	add(sess.InExec || sess.Queueing, "x")
	add(sess.Waiting != nil, "b")
	flags += sess.Track.flags()
	add(sess.WatchBroken, "d")
	add(sess.CloseAfter, "c")
	add(sess.ReadOnly, "r")
	add(sess.NoEvict, "e")
	add(sess.NoTouch, "T")
	add(sess.Imports, "I")
	if flags == "" {
		return "N"
	}
	return flags
}

// Capabilities returns the letters in the field capa of CLIENT LIST.
func (sess *Session) Capabilities() string {
	if sess.Redirects {
		return "r"
	}
	return ""
}

// queuedCommands returns the field multi of CLIENT LIST.
func (s *Server) queuedCommands(sess *Session) int {
	switch {
	case sess.InExec:
		return s.ExecLen
	case sess.Queueing:
		return len(sess.Queue)
	case sess.Began && s.Follows.Has(servers.ClientCapabilities):
		return 0
	}
	return -1
}

// Describe returns a session's line in CLIENT LIST. The file descriptor is always -1, because it
// belongs to the transport.
func (s *Server) Describe(sess *Session) string {
	last := "NULL"
	if sess.last != nil {
		last = sess.last.FullName()
	}
	descriptor := sess.Descriptor
	if descriptor == 0 {
		descriptor = -1 // as Redis shows its clients without a connection
	}
	now := s.Store.Now()
	var b strings.Builder
	field := func(name string, value any) { fmt.Fprintf(&b, " %s=%v", name, value) }
	fmt.Fprintf(&b, "id=%d", sess.ID)
	field("addr", sess.Addr)
	field("laddr", sess.LAddr)
	field("fd", descriptor)
	field("name", sess.Name)
	field("age", max(0, now-sess.Created)/1000)
	field("idle", sess.idle(now))
	field("flags", sess.Flags())
	if s.Follows.Has(servers.ClientCapabilities) {
		field("capa", sess.Capabilities())
	}
	field("db", sess.DB.ID())
	field("sub", len(sess.Topics[OnChannel].List))
	field("psub", len(sess.Topics[OnPattern].List))
	field("ssub", len(sess.Topics[OnShard].List))
	field("multi", s.queuedCommands(sess))
	if s.Follows.Has(servers.ClientWatch) {
		field("watch", len(sess.Watching))
	}
	u := sess.use()
	s.describeMemory(field, sess, &u)
	field("events", "r")
	field("cmd", last)
	field("user", sess.UserName())
	field("redir", sess.Track.Redirection())
	field("resp", sess.Proto)
	if s.Follows.Has(servers.ClientLibrary) {
		field("lib-name", sess.LibName)
		field("lib-ver", sess.LibVer)
	}
	if s.Follows.Has(servers.ClientThread) {
		field("io-thread", 0)
	}
	if s.Follows.Has(servers.ClientTraffic) {
		field("tot-net-in", u.Received)
		field("tot-net-out", u.Sent)
		field("tot-cmds", sess.Commands)
	}
	return b.String()
}

// Idle returns the seconds since the session's last command, as CLIENT LIST shows them.
func (s *Server) Idle(sess *Session) int64 { return sess.idle(s.Store.Now()) }

func (sess *Session) idle(now int64) int64 { return max(0, now-sess.Active) / 1000 }
