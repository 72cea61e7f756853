package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/glob"
	"github.com/redmoon-lua/redmoon/reply"
)

// TopicKind is what a subscription names.
type TopicKind uint8

const (
	OnChannel TopicKind = iota
	OnPattern
	OnShard
	topicKinds
)

// topic is a channel or pattern that has subscribers, in the order in which they subscribed.
type topic struct {
	Name     string
	Sessions []*Session
}

// topics are those of one kind, also in the order in which they came into being.
type topics struct {
	ByName map[string]*topic
	List   []*topic
}

// subscriptions are the names of one kind that a session is subscribed to, also in order.
type subscriptions struct {
	has  map[string]struct{}
	List []string
}

// subscribe adds sess to those who receive from a topic, unless it is among them.
func (s *Server) Subscribe(sess *Session, kind TopicKind, name string) {
	mine := &sess.Topics[kind]
	if _, ok := mine.has[name]; ok {
		return
	}
	if mine.has == nil {
		mine.has = map[string]struct{}{}
	}
	mine.has[name] = struct{}{}
	mine.List = append(mine.List, name)
	all := &s.Topics[kind]
	t := all.ByName[name]
	if t == nil {
		if all.ByName == nil {
			all.ByName = map[string]*topic{}
		}
		t = &topic{Name: name}
		all.ByName[name] = t
		all.List = append(all.List, t)
	}
	t.Sessions = append(t.Sessions, sess)
	sess.subscribed++
}

func (s *Server) Unsubscribe(sess *Session, kind TopicKind, name string) {
	mine := &sess.Topics[kind]
	if _, ok := mine.has[name]; !ok {
		return
	}
	delete(mine.has, name)
	mine.List = without(mine.List, name)
	all := &s.Topics[kind]
	t := all.ByName[name]
	if t.Sessions = without(t.Sessions, sess); len(t.Sessions) == 0 {
		delete(all.ByName, name)
		all.List = without(all.List, t)
	}
	sess.subscribed--
}

// without takes the one el out of list.
func without[T comparable](list []T, el T) []T {
	i := slices.Index(list, el)
	return slices.Delete(list, i, i+1)
}

// UnsubscribeAll ends all subscriptions of a session and tells nobody.
func (s *Server) UnsubscribeAll(sess *Session) {
	if sess.subscribed == 0 {
		return
	}
	for kind := range topicKinds {
		for _, name := range slices.Backward(slices.Clone(sess.Topics[kind].List)) {
			s.Unsubscribe(sess, kind, name)
		}
	}
}

// publish sends a message to those who are subscribed to the channel, and tells how many receive
// it.
func (s *Server) Publish(channel, message string) (receivers int64) {
	receivers = s.Send(OnChannel, "message", channel, message)
	for _, t := range s.Topics[OnPattern].List {
		if !glob.Match(t.Name, channel, false) {
			continue
		}
		v := reply.Push(reply.Bulk("pmessage"), reply.Bulk(t.Name), reply.Bulk(channel), reply.Bulk(message))
		for _, sess := range t.Sessions {
			s.push(sess, v)
		}
		receivers += int64(len(t.Sessions))
	}
	return receivers
}

// send sends a message to those who are subscribed to the channel by its name.
func (s *Server) Send(kind TopicKind, word, channel, message string) (receivers int64) {
	t := s.Topics[kind].ByName[channel]
	if t == nil {
		return 0
	}
	v := reply.Push(reply.Bulk(word), reply.Bulk(channel), reply.Bulk(message))
	for _, sess := range t.Sessions {
		s.push(sess, v)
	}
	return int64(len(t.Sessions))
}

// push hands a session what it did not just ask for. What its own command makes for it travels with
// the reply.
func (s *Server) push(sess *Session, v reply.Value) {
	if sess.Receive == nil {
		return
	}
	if s.rerun != nil {
		s.rerun.told = append(s.rerun.told, reporting{to: sess, v: v})
		return
	}
	if s.level > 0 && s.levels[0].Session == sess && !sess.Apart {
		sess.OwnPushes = append(sess.OwnPushes, v)
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

// Deliver hands a session what it is to be sent in protocol proto, and ends it when more is waiting
// for it than it may.
func (s *Server) Deliver(sess *Session, v reply.Value, proto int) {
	waiting := sess.Receive(v, proto)
	if waiting > 0 && !sess.CloseAfter && s.tooMuch(sess, waiting) {
		s.dropSlow(sess, waiting)
	}
	if s.pendingWork && s.BoundsClients() {
		s.Account(sess)
	}
}

// tooMuch reports whether so many bytes may not wait for a session (client-output-buffer-limit
// pubsub, or normal where it is not subscribed): a hard limit, and a soft one that may be passed
// for some seconds.
func (s *Server) tooMuch(sess *Session, waiting int64) bool {
	limit := &s.Config.PubSubLimit
	if sess.subscribed == 0 {
		limit = &s.Config.NormalLimit
	}
	if limit.Hard > 0 && waiting >= limit.Hard {
		return true
	}
	if limit.Soft == 0 || waiting < limit.Soft {
		sess.slowSince = 0
		return false
	}
	if sess.slowSince == 0 {
		sess.slowSince = s.Store.Now()
		if s.LookSoon != nil {
			s.LookSoon()
		}
	}
	return s.Store.Now()-sess.slowSince > limit.Seconds*1000
}

// TakePushed returns v with what the session's own command has sent to it before and behind.
func (sess *Session) TakePushed(v reply.Value) reply.Value {
	all := sess.OwnPushes
	if v.Kind() != reply.KindNone {
		all = append(all, v)
	}
	all = append(all, sess.AfterReply...)
	sess.OwnPushes, sess.AfterReply = nil, nil
	if len(all) == 1 {
		return all[0]
	}
	last := len(all) - 1
	return reply.Pushed(all[last], all[:last]...)
}

// TopicWords begin the messages about each kind of topic.
var TopicWords = [topicKinds]string{OnChannel: "subscribe", OnPattern: "psubscribe", OnShard: "ssubscribe"}

var TopicEndWords = [topicKinds]string{OnChannel: "unsubscribe", OnPattern: "punsubscribe", OnShard: "sunsubscribe"}

// SubscriptionCount is what a confirmation tells: shards are counted apart.
func (sess *Session) SubscriptionCount(kind TopicKind) reply.Value {
	if kind == OnShard {
		return reply.Int(int64(len(sess.Topics[OnShard].List)))
	}
	return reply.Int(int64(len(sess.Topics[OnChannel].List) + len(sess.Topics[OnPattern].List)))
}

// EndOf tells a session that a subscription has ended.
func (sess *Session) EndOf(kind TopicKind, name string) reply.Value {
	return reply.Push(reply.Bulk(TopicEndWords[kind]), reply.Bulk(name), sess.SubscriptionCount(kind))
}
