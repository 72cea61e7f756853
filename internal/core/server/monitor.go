package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// observers are the clients and the probe that are notified of every command.
type observers struct {
	Monitors []*Session // in the order in which they asked
	probe    *Probe     // nil: none
	// observed is set if a command must be shown to one of them, its keys remembered for tracking, or
	// its size logged.
	observed bool
}

// EndMonitor removes a session from the monitors.
func (s *Server) EndMonitor(sess *Session) {
	if sess.Monitors {
		sess.Monitors = false
		s.Monitors = slices.DeleteFunc(s.Monitors, func(m *Session) bool { return m == sess })
		s.UpdateObserved()
	}
}

// UpdateObserved sets observed: whether any session must be notified of commands.
func (s *Server) UpdateObserved() {
	s.observed = len(s.Monitors) > 0 || s.tracking.clients > 0 || s.probe != nil || s.Follows.Has(servers.CommandLog)
}

// monitored reports whether monitors see the command. Commands of administrators are not shown, and
// those that run scripts show themselves before the script's commands.
func monitored(s *cmdtable.Spec) bool { return s.Flags&(cmdtable.Admin|cmdtable.SkipMonitor) == 0 }

// runs is called before a command runs.
func (s *Server) runs(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) {
	if len(s.Monitors) > 0 && spec.Flags&cmdtable.SkipMonitor != 0 && !sess.Debugging.Shown {
		s.show(sess, door, spec, args)
	}
}

// ran is called after a command has run.
func (s *Server) ran(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, v reply.Value) {
	if s.probe != nil && s.probe.Ran != nil {
		s.probe.Ran(Probed{sess, door, spec, args, s.Blocked}, v)
	}
	if s.tracking.clients > 0 && spec.Flags&cmdtable.ReadOnly != 0 {
		s.rememberRead(sess, door, spec, args)
	}
	if len(s.Monitors) > 0 && monitored(spec) {
		s.show(sess, door, spec, args)
	}
	if s.Config.SizeLog.On && (s.Blocked == nil || door != cmdtable.DoorClient) {
		s.noteSizes(sess, door, spec, args, v)
	}
}

// show sends a line about a command to all monitors.
func (s *Server) show(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) {
	now := s.Store.NowMicros()
	var b strings.Builder
	fmt.Fprintf(&b, "%d.%06d [%d %s]", now/1e6, now%1e6, sess.DB.ID(), sess.peer(door))
	for _, a := range redacted(spec, args) {
		b.WriteByte(' ')
		b.Write(quoting.Append(nil, a))
	}
	line := reply.Status(b.String())
	for _, m := range s.Monitors {
		switch {
		case m.ReplyOff || m.CloseAfter || m == sess && m.silent && !m.RepliesTurnedOn:
		case m == sess && !m.SeparatePushes:
			m.AfterReply = append(m.AfterReply, line)
		case s.Undo.running != nil && s.Undo.rerun == nil && m.Receive != nil:
			s.pushNow(m, line) // monitors see what runs, also if it is undone
		default:
			s.push(m, line)
		}
	}
}

// peer returns how a monitor line names the sender of the command.
func (c *connection) peer(door cmdtable.Door) string {
	path, unix := strings.CutSuffix(c.Addr, ":0")
	switch {
	case door.FromScript():
		return "lua"
	case c.Addr == "":
		return "?:0"
	case unix:
		return "unix:" + path
	}
	return c.Addr
}
