package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func clientID(c *Ctx) reply.Value { return reply.Int(c.Session.ID) }

func clientGetName(c *Ctx) reply.Value {
	if c.Session.Name == "" {
		return reply.Nil()
	}
	return reply.Bulk(c.Session.Name)
}

func clientSetName(c *Ctx) reply.Value {
	if !c.Session.setName(c.Args[2]) {
		return reply.Err(errClientName)
	}
	return reply.OK()
}

func clientNoEvict(c *Ctx) reply.Value {
	switch strings.ToLower(c.Args[2]) {
	case "on":
		c.Session.NoEvict = true
	case "off":
		c.Session.NoEvict = false
	default:
		return reply.Err(errSyntax)
	}
	return reply.OK()
}

// clientNoTouch lets the session look keys up without their counting as used; TOUCH still does count.
func clientNoTouch(c *Ctx) reply.Value {
	switch strings.ToLower(c.Args[2]) {
	case "on":
		c.Session.NoTouch, c.Server.noTouch = true, true
	case "off":
		c.Session.NoTouch = false
	default:
		return reply.Err(errSyntax)
	}
	return reply.OK()
}

// clientSetInfo keeps what a client library tells of itself, for CLIENT LIST. RESET leaves it.
func clientSetInfo(c *Ctx) reply.Value {
	option, value := c.Args[2], c.Args[3]
	to := &c.Session.LibName
	switch strings.ToLower(option) {
	case "lib-name":
	case "lib-ver":
		to = &c.Session.LibVer
	default:
		return reply.Errorf("ERR Unrecognized option '%s'", oneLine(cut(option, len(option))))
	}
	if !printable(value) {
		return reply.Errorf("ERR %s cannot contain spaces, newlines or special characters.", oneLine(cut(option, len(option))))
	}
	*to = value
	return reply.OK()
}

func clientReply(c *Ctx) reply.Value {
	sess := c.Session
	switch strings.ToLower(c.Args[2]) {
	case "on":
		sess.ReplyOff, sess.SkipNext, sess.replyOn = false, false, true
		return reply.OK()
	case "off":
		sess.ReplyOff = true
	case "skip":
		sess.SkipNext = !sess.ReplyOff
	default:
		return reply.Err(errSyntax)
	}
	return reply.None()
}

func clientInfo(c *Ctx) reply.Value {
	return reply.Verbatim("txt", c.Server.describe(c.Session)+"\n")
}

// clientList lists all sessions, or those of a type or with certain ids, oldest first.
func clientList(c *Ctx) reply.Value {
	list := slices.Collect(maps.Values(c.Server.sessions))
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Compare(a.ID, b.ID) })
	switch n := c.NArg(); {
	case n == 2:
	case n == 4 && strings.EqualFold(c.Args[2], "type"):
		switch typ := strings.ToLower(c.Args[3]); typ {
		case "normal", "pubsub":
			list = slices.DeleteFunc(list, func(sess *Session) bool { return sess.clientType() != typ })
		case "master", "replica", "slave":
			list = nil
		default:
			return reply.Errorf("ERR Unknown client type '%s'", oneLine(cut(c.Args[3], len(c.Args[3]))))
		}
	case n > 3 && strings.EqualFold(c.Args[2], "id"):
		list = list[:0]
		for _, a := range c.Args[3:] {
			id, ok := parseInt(a)
			if !ok {
				return reply.Err("ERR Invalid client ID")
			}
			if sess := c.Server.sessions[id]; sess != nil {
				list = append(list, sess)
			}
		}
	default:
		return reply.Err(errSyntax)
	}
	var b strings.Builder
	for _, sess := range list {
		b.WriteString(c.Server.describe(sess))
		b.WriteByte('\n')
	}
	return reply.Verbatim("txt", b.String())
}

// clientType is the type by which CLIENT LIST and KILL choose.
func (sess *Session) clientType() string {
	if sess.subscribed > 0 {
		return "pubsub"
	}
	return "normal"
}

// describe is a session's line in CLIENT LIST. File descriptors belong to the transport and are told as -1.
func (s *Server) describe(sess *Session) string {
	flags, queued := "", -1
	if sess.monitors {
		flags = "O"
	}
	if sess.subscribed > 0 {
		flags += "P"
	}
	switch {
	case sess.inExec:
		flags, queued = flags+"x", s.execLen
	case sess.inMulti:
		flags, queued = flags+"x", len(sess.queue)
	}
	if sess.waiting != nil {
		flags += "b"
	}
	flags += sess.track.flags()
	if sess.stale {
		flags += "d"
	}
	if sess.CloseAfter {
		flags += "c"
	}
	if sess.readOnly {
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
	now := s.Store.Now()
	watch, more := "", ""
	if s.Compat >= Redis74 {
		watch, more = fmt.Sprintf(" watch=%d", len(sess.watching)), " lib-name="+sess.LibName+" lib-ver="+sess.LibVer
	}
	if s.Compat >= Redis80 {
		more += " io-thread=0"
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d%s"+
		" %s events=r cmd=%s user=%s redir=%d resp=%d%s",
		sess.ID, sess.Addr, sess.LAddr, sess.Name, max(0, now-sess.Created)/1000, max(0, now-sess.Active)/1000,
		flags, sess.DB.ID(), len(sess.topics[onChannel].list), len(sess.topics[onPattern].list), len(sess.topics[onShard].list), queued, watch, s.describeMemory(sess), last, sess.userName(), sess.track.redirection(), sess.Proto, more)
}
