package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// denialEntry is one entry of ACL LOG.
type denialEntry struct {
	count            int64
	why              denial
	context          string
	object, username string
	at               int64 // ms: the last time
	client           string
}

// The grouping of ACL LOG: a denial equal to one of the newest few, and of the same minute, raises its count.
const (
	logGroupAmong = 10
	logGroupTime  = 60_000 // ms
)

// logDenial notes a denial in ACL LOG.
func (s *Server) logDenial(sess *Session, door Door, why denial, username, object string) {
	context := "toplevel"
	switch {
	case door.FromScript():
		context = "lua"
	case sess.inMulti || door == DoorExec:
		context = "multi"
	}
	if sess.caller != nil {
		sess = sess.caller
	}
	a := s.access
	entry := &denialEntry{count: 1, why: why, context: context, object: object, username: username,
		at: s.Store.Now(), client: s.describe(sess)}
	for i, old := range a.log[:min(logGroupAmong, len(a.log))] {
		if old.why == why && old.context == context && old.object == object && old.username == username &&
			entry.at-old.at <= logGroupTime {
			entry.count += old.count
			copy(a.log[1:i+1], a.log[:i])
			a.log[0] = entry
			return
		}
	}
	a.log = append([]*denialEntry{entry}, a.log...)
	a.log = a.log[:min(int64(len(a.log)), s.Config.Int("acllog-max-len"))]
}

func aclLog(c *Ctx) reply.Value {
	count := int64(10)
	switch c.NArg() {
	case 2:
	case 3:
		if strings.EqualFold(cut(c.Args[2], len(c.Args[2])), "reset") {
			c.Server.access.log = nil
			return reply.OK()
		}
		n, ok := parseInt(c.Args[2])
		if !ok {
			return reply.Err(errNotInteger)
		}
		count = max(0, n)
	default:
		return aclArity(c)
	}
	entries := c.Server.access.log
	out := []reply.Value{}
	for _, e := range entries[:min(count, int64(len(entries)))] {
		reason := [...]string{deniedCommand: "command", deniedKey: "key", deniedAuth: "auth", deniedChannel: "channel"}[e.why]
		out = append(out, reply.Map(
			reply.Bulk("count"), reply.Int(e.count),
			reply.Bulk("reason"), reply.Bulk(reason),
			reply.Bulk("context"), reply.Bulk(e.context),
			reply.Bulk("object"), reply.Bulk(e.object),
			reply.Bulk("username"), reply.Bulk(e.username),
			reply.Bulk("age-seconds"), reply.Double(float64(c.Now()-e.at)/1000),
			reply.Bulk("client-info"), reply.Bulk(e.client),
		))
	}
	return reply.Array(out...)
}
