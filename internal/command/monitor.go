package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/quoting"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// observers are the sessions that learn of every command.
type observers struct {
	monitors []*Session // in the order in which they asked
	observed bool       // call has somebody to tell, or keys to remember for those who cache them
}

// monitor makes the session one that receives a line for every command. A second MONITOR is answered by nothing.
func monitor(c *Ctx) reply.Value {
	sess, s := c.Session, c.Server
	switch {
	case c.Door != DoorClient:
		return reply.Err("ERR MONITOR isn't allowed for DENY BLOCKING client")
	case sess.Receive == nil:
		return reply.Err("ERR MONITOR needs a connection, which can receive lines")
	case sess.monitors:
		return reply.None()
	}
	sess.monitors, sess.Async = true, !sess.Apart
	s.monitors = append(s.monitors, sess)
	s.observe()
	return reply.OK()
}

// endMonitor takes a session off those that learn of commands.
func (s *Server) endMonitor(sess *Session) {
	if sess.monitors {
		sess.monitors = false
		s.monitors = slices.DeleteFunc(s.monitors, func(m *Session) bool { return m == sess })
		s.observe()
	}
}

// observe finds out whether there is somebody to tell of commands.
func (s *Server) observe() { s.observed = len(s.monitors) > 0 || s.tracking.clients > 0 }

// monitored reports whether lines about the command are shown: commands of administrators are not, and those that
// run scripts show themselves before what they run.
func (s *Spec) monitored() bool { return s.Flags&(Admin|SkipMonitor) == 0 }

// runs tells of a command that is about to run.
func (s *Server) runs(sess *Session, door Door, spec *Spec, args []string) {
	if door == DoorClient && s.tracking.clients > 0 {
		s.limitTracking()
	}
	if len(s.monitors) > 0 && spec.Flags&SkipMonitor != 0 && !sess.shown {
		s.show(sess, door, spec, args)
	}
}

// ran tells of a command that has ended.
func (s *Server) ran(sess *Session, door Door, spec *Spec, args []string) {
	if s.tracking.clients > 0 && spec.Flags&ReadOnly != 0 {
		s.rememberRead(sess, door, spec, args)
	}
	if len(s.monitors) > 0 && spec.monitored() {
		s.show(sess, door, spec, args)
	}
}

// show sends a line about a command to all monitors.
func (s *Server) show(sess *Session, door Door, spec *Spec, args []string) {
	now := s.Store.NowMicros()
	var b strings.Builder
	fmt.Fprintf(&b, "%d.%06d [%d %s]", now/1e6, now%1e6, sess.DB.ID(), sess.peer(door))
	for _, a := range redacted(spec, args) {
		b.WriteByte(' ')
		b.Write(quoting.Append(nil, a))
	}
	line := reply.Status(b.String())
	for _, m := range s.monitors {
		switch {
		case m.ReplyOff || m.CloseAfter || m == sess && m.silent && !m.replyOn:
		case m == sess && !m.Apart:
			m.behind = append(m.behind, line)
		default:
			s.push(m, line)
		}
	}
}

// peer is how a line names who has sent the command.
func (sess *Session) peer(door Door) string {
	path, unix := strings.CutSuffix(sess.Addr, ":0")
	switch {
	case door.FromScript():
		return "lua"
	case sess.Addr == "":
		return "?:0"
	case unix:
		return "unix:" + path
	}
	return sess.Addr
}
