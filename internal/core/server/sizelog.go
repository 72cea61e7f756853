package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/wire"
	"github.com/redmoon-lua/redmoon/reply"
)

// noteSizes logs a command with a large request or reply (COMMANDLOG). It is called for every
// command, because the reply to a command of EXEC counts with the replies before it.
func (s *Server) noteSizes(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, v reply.Value) {
	limits := &s.Config.SizeLog
	if spec.Flags&cmdtable.SkipSlowlog != 0 {
		return
	}
	if limits.Request >= 0 {
		if size := s.requestSize(door, args); size >= limits.Request {
			s.note(&s.LargeRequests, "commandlog-large-request-max-len", sess, door, spec, args, size)
		}
	}
	if limits.Reply >= 0 && !sess.silent {
		if size, large := s.replySize(sess, door, v, limits.Reply); large {
			s.note(&s.LargeReplies, "commandlog-large-reply-max-len", sess, door, spec, args, size)
		}
	}
}

// requestSize returns the size of the request with which a client has asked for a command. One that
// MULTI has queued counts as EXEC. One that a script calls counts as the script, or as nothing.
func (s *Server) requestSize(door cmdtable.Door, args []string) int64 {
	switch {
	case door.FromScript() && s.Follows.Has(servers.ScriptSizes):
		return 0
	case door != cmdtable.DoorClient && s.level > 0:
		return wire.CommandSize(s.levels[0].Args)
	}
	return wire.CommandSize(args)
}

// replySize returns the size of a reply, and whether it is at least a limit. A smaller size is not
// exact. The size of a command of EXEC includes the replies before it. The size of a command that a
// script calls is what its client has got so far, or that of its own reply.
func (s *Server) replySize(sess *Session, door cmdtable.Door, v reply.Value, limit int64) (size int64, large bool) {
	switch {
	case door.FromScript() && !s.Follows.Has(servers.ScriptSizes):
		return s.ExecSent, s.ExecSent >= limit
	case door == cmdtable.DoorExec:
		if s.ExecSent == 0 {
			s.ExecSent = int64(len(wire.AppendHeader(nil, '*', int64(s.ExecLen))))
		}
		s.ExecSent += wire.Size(v, sess.Proto)
		return s.ExecSent, s.ExecSent >= limit
	}
	for _, p := range sess.OwnPushes { // the replies of SUBSCRIBE
		size += wire.Size(p, sess.Proto)
	}
	if size+2*v.WireSize() < limit { // the estimate is at least half of the size
		return 0, false
	}
	size += wire.Size(v, sess.Proto)
	return size, size >= limit
}
