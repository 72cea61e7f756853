package server

import (
	"fmt"

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

// Describe returns a session's line in CLIENT LIST. The file descriptor is always -1, because it
// belongs to the transport.
func (s *Server) Describe(sess *Session) string {
	flags, queued := "", -1
	switch {
	case sess.Monitors:
		flags = "O"
	case sess.Peer == PeerReplica:
		flags = "S"
	}
	if sess.Master {
		flags += "M"
	}
	if sess.subscribed > 0 {
		flags += "P"
	}
	switch {
	case sess.InExec:
		flags, queued = flags+"x", s.ExecLen
	case sess.Queueing:
		flags, queued = flags+"x", len(sess.Queue)
	}
	if sess.Waiting != nil {
		flags += "b"
	}
	flags += sess.Track.flags()
	if sess.WatchBroken {
		flags += "d"
	}
	if sess.CloseAfter {
		flags += "c"
	}
	if sess.ReadOnly {
		flags += "r"
	}
	if sess.NoEvict {
		flags += "e"
	}
	if sess.NoTouch {
		flags += "T"
	}
	if flags == "" {
		flags = "N"
	}
	last := "NULL"
	if sess.last != nil {
		last = sess.last.FullName()
	}
	descriptor := sess.Descriptor
	if descriptor == 0 {
		descriptor = -1 // as Redis shows its clients without a connection
	}
	now := s.Store.Now()
	watch, more := "", ""
	if s.Follows.Has(servers.ClientLibrary) {
		watch, more = fmt.Sprintf(" watch=%d", len(sess.Watching)), " lib-name="+sess.LibName+" lib-ver="+sess.LibVer
	}
	if s.Follows.Has(servers.ClientThread) {
		more += " io-thread=0"
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d%s"+
		" %s events=r cmd=%s user=%s redir=%d resp=%d%s",
		sess.ID, sess.Addr, sess.LAddr, descriptor, sess.Name, max(0, now-sess.Created)/1000, max(0, now-sess.Active)/1000,
		flags, sess.DB.ID(), len(sess.Topics[OnChannel].List), len(sess.Topics[OnPattern].List), len(sess.Topics[OnShard].List), queued, watch,
		s.describeMemory(sess), last, sess.UserName(), sess.Track.Redirection(), sess.Proto, more)
}
