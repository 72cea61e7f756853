package command

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// topicKind is what a subscription names.
type topicKind uint8

const (
	onChannel topicKind = iota
	onPattern
	onShard
	topicKinds
)

// topic is a channel or pattern that has subscribers, in the order in which they subscribed.
type topic struct {
	name     string
	sessions []*Session
}

// topics are those of one kind, also in the order in which they came into being.
type topics struct {
	byName map[string]*topic
	list   []*topic
}

// subscriptions are the names of one kind that a session is subscribed to, also in order.
type subscriptions struct {
	has  map[string]struct{}
	list []string
}

// subscribe adds sess to those who receive from a topic, unless it is among them.
func (s *Server) subscribe(sess *Session, kind topicKind, name string) {
	mine := &sess.topics[kind]
	if _, ok := mine.has[name]; ok {
		return
	}
	if mine.has == nil {
		mine.has = map[string]struct{}{}
	}
	mine.has[name] = struct{}{}
	mine.list = append(mine.list, name)
	all := &s.topics[kind]
	t := all.byName[name]
	if t == nil {
		if all.byName == nil {
			all.byName = map[string]*topic{}
		}
		t = &topic{name: name}
		all.byName[name] = t
		all.list = append(all.list, t)
	}
	t.sessions = append(t.sessions, sess)
	sess.subscribed++
}

func (s *Server) unsubscribe(sess *Session, kind topicKind, name string) {
	mine := &sess.topics[kind]
	if _, ok := mine.has[name]; !ok {
		return
	}
	delete(mine.has, name)
	mine.list = without(mine.list, name)
	all := &s.topics[kind]
	t := all.byName[name]
	if t.sessions = without(t.sessions, sess); len(t.sessions) == 0 {
		delete(all.byName, name)
		all.list = without(all.list, t)
	}
	sess.subscribed--
}

// without takes the one el out of list.
func without[T comparable](list []T, el T) []T {
	i := slices.Index(list, el)
	return slices.Delete(list, i, i+1)
}

// unsubscribeAll ends all subscriptions of a session and tells nobody.
func (s *Server) unsubscribeAll(sess *Session) {
	if sess.subscribed == 0 {
		return
	}
	for kind := range topicKinds {
		for _, name := range slices.Backward(slices.Clone(sess.topics[kind].list)) {
			s.unsubscribe(sess, kind, name)
		}
	}
}

// publish sends a message to those who are subscribed to the channel, and tells how many receive it.
func (s *Server) publish(channel, message string) (receivers int64) {
	receivers = s.send(onChannel, "message", channel, message)
	for _, t := range s.topics[onPattern].list {
		if !MatchGlob(t.name, channel, false) {
			continue
		}
		v := reply.Push(reply.Bulk("pmessage"), reply.Bulk(t.name), reply.Bulk(channel), reply.Bulk(message))
		for _, sess := range t.sessions {
			s.push(sess, v)
		}
		receivers += int64(len(t.sessions))
	}
	return receivers
}

// send sends a message to those who are subscribed to the channel by its name.
func (s *Server) send(kind topicKind, word, channel, message string) (receivers int64) {
	t := s.topics[kind].byName[channel]
	if t == nil {
		return 0
	}
	v := reply.Push(reply.Bulk(word), reply.Bulk(channel), reply.Bulk(message))
	for _, sess := range t.sessions {
		s.push(sess, v)
	}
	return int64(len(t.sessions))
}

// push hands a session what it did not just ask for. What its own command makes for it travels with the reply.
func (s *Server) push(sess *Session, v reply.Value) {
	if sess.Receive == nil {
		return
	}
	if s.rerun != nil {
		s.rerun.told = append(s.rerun.told, telling{to: sess, v: v})
		return
	}
	if s.level > 0 && s.levels[0].Session == sess && !sess.Apart {
		sess.early = append(sess.early, v)
		return
	}
	if sess.CloseAfter {
		return // nobody reads it
	}
	if !sess.Async && !sess.Apart {
		sess.Async = true
		s.Turned(sess)
	}
	s.Deliver(sess, v, sess.Proto)
}

// Deliver hands a session what it is to be sent in protocol proto, and ends it when more is waiting for it than it may.
func (s *Server) Deliver(sess *Session, v reply.Value, proto int) {
	waiting := sess.Receive(v, proto)
	if waiting > 0 && !sess.CloseAfter && s.tooMuch(sess, waiting) {
		s.cutOff(sess, waiting)
	}
	if s.chores && s.boundsClients() {
		s.account(sess)
	}
}

// tooMuch reports whether so many bytes may not wait for a session (client-output-buffer-limit pubsub, or normal where it is not
// subscribed): a hard limit, and a soft one that may be passed for some seconds.
func (s *Server) tooMuch(sess *Session, waiting int64) bool {
	limit := &s.Config.pubSubLimit
	if sess.subscribed == 0 {
		limit = &s.Config.normalLimit
	}
	if limit.hard > 0 && waiting >= limit.hard {
		return true
	}
	if limit.soft == 0 || waiting < limit.soft {
		sess.slowSince = 0
		return false
	}
	if sess.slowSince == 0 {
		sess.slowSince = s.Store.Now()
		if s.LookSoon != nil {
			s.LookSoon()
		}
	}
	return s.Store.Now()-sess.slowSince > limit.seconds*1000
}

// takePushed returns v with what the session's own command has sent to it before and behind.
func (sess *Session) takePushed(v reply.Value) reply.Value {
	all := sess.early
	if v.Kind() != reply.KindNone {
		all = append(all, v)
	}
	all = append(all, sess.behind...)
	sess.early, sess.behind = nil, nil
	if len(all) == 1 {
		return all[0]
	}
	last := len(all) - 1
	return reply.Pushed(all[last], all[:last]...)
}
