package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/reply"
)

// TopicKind is the kind of a subscription: channel, pattern or shard channel.
type TopicKind uint8

const (
	OnChannel TopicKind = iota
	OnPattern
	OnShard
	topicKinds
)

// topic is a channel or pattern with its subscribers, in the order in which they subscribed.
type topic struct {
	Name     string
	Sessions []*Session
}

// topics are the topics of one kind, in the order of their creation.
type topics struct {
	ByName map[string]*topic
	List   []*topic
}

// subscriptions are the names of one kind that a session is subscribed to, in order.
type subscriptions struct {
	has  map[string]struct{}
	List []string
}

// Subscribe adds sess to the subscribers of a topic. It does nothing if sess is one already.
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

// Unsubscribe removes sess from the subscribers of a topic.
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

// without removes the element el from list.
func without[T comparable](list []T, el T) []T {
	i := slices.Index(list, el)
	return slices.Delete(list, i, i+1)
}

// UnsubscribeAll ends all subscriptions of a session without a message.
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

// Publish sends a message to the subscribers of the channel and of matching patterns, and returns
// how many receive it.
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

// Send sends a message to those who are subscribed to the channel by its name.
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

// push sends a value that is not a reply to a session. What its own command pushes travels with the
// reply.
func (s *Server) push(sess *Session, v reply.Value) {
	if sess.Receive == nil {
		return
	}
	if s.Undo.rerun != nil {
		s.Undo.rerun.effects = append(s.Undo.rerun.effects, effect{to: sess, v: v})
		return
	}
	own := s.level > 0 && s.levels[0].Session == sess && !sess.SeparatePushes
	if own && s.Follows.Has(servers.RepliesFirst) {
		v = v.In(v.Proto(sess.Proto)) // EXEC may change the protocol before the end
	}
	if s.Undo.running.hold(sess, v, own) {
		return
	}
	if own {
		s.pushOwn(sess, v)
		return
	}
	s.pushNow(sess, v)
}

// pushOwn sends values to the session that runs the command: before the reply, or with
// [servers.RepliesFirst] after it, and after all replies of an EXEC.
func (s *Server) pushOwn(sess *Session, list ...reply.Value) {
	if s.Follows.Has(servers.RepliesFirst) {
		sess.AfterAll = append(sess.AfterAll, list...)
	} else {
		sess.OwnPushes = append(sess.OwnPushes, list...)
	}
}

// pushNow is push for a session that does not run the command, if nothing can be undone.
func (s *Server) pushNow(sess *Session, v reply.Value) {
	if sess.CloseAfter {
		return // the session receives nothing
	}
	if !sess.Async && !sess.SeparatePushes {
		sess.Async = true
		s.Owner.BecameAsync(sess)
	}
	s.deliver(sess, v, sess.Proto)
}

// deliver sends a value in protocol proto to a session, and ends the session if its unread output
// exceeds the limit.
func (s *Server) deliver(sess *Session, v reply.Value, proto int) {
	if sess.Peer == PeerReplica {
		s.replied(sess, v)
		return
	}
	if s.Persistence != nil && s.Owner.Hold(func() { s.receive(sess, v, proto) }) {
		return
	}
	s.receive(sess, v, proto)
}

// SendEarlier sends a reply that was made before the session became asynchronous.
func (s Control) SendEarlier(sess *Session, v reply.Value, proto int) {
	if s.Persistence == nil || !s.Owner.Hold(func() { sess.Receive(v, proto, 0) }) {
		sess.Receive(v, proto, 0)
	}
}

// receive makes a session receive a value.
func (s *Server) receive(sess *Session, v reply.Value, proto int) {
	waiting := sess.Receive(v, proto, s.outputLimit(sess).Hard)
	if waiting > 0 && !sess.CloseAfter && s.tooMuch(sess, waiting) {
		s.dropSlow(sess, waiting)
	}
	if s.Clients.pendingWork && s.LimitsClientMemory() {
		s.Account(sess)
	}
}

// outputLimit returns client-output-buffer-limit of the class of a session: pubsub if subscribed,
// else normal.
func (s *Server) outputLimit(sess *Session) *config.OutputLimit {
	if sess.subscribed > 0 {
		return &s.Config.PubSubLimit
	}
	return &s.Config.NormalLimit
}

// tooMuch reports whether the unread output of a session exceeds its outputLimit: the hard limit,
// or the soft limit for too many seconds.
func (s *Server) tooMuch(sess *Session, waiting int64) bool {
	limit := s.outputLimit(sess)
	if limit.Hard > 0 && waiting >= limit.Hard {
		return true
	}
	if limit.Soft == 0 || waiting < limit.Soft {
		sess.slowSince = 0
		return false
	}
	if sess.slowSince == 0 {
		sess.slowSince = s.Store.Now()
		s.Owner.CheckClientsSoon()
	}
	return s.Store.Now()-sess.slowSince > limit.Seconds*1000
}

// TakePushed returns v together with what the session's own command has pushed to it, before and
// after v.
func (o *output) TakePushed(v reply.Value) reply.Value {
	all := o.OwnPushes
	if v.Kind() != reply.KindNone {
		all = append(all, v)
	}
	all = append(all, o.AfterReply...)
	all = append(all, o.AfterAll...)
	o.OwnPushes, o.AfterReply, o.AfterAll = nil, nil, nil
	if len(all) == 1 {
		return all[0]
	}
	last := len(all) - 1
	return reply.Pushed(all[last], all[:last]...)
}

// TopicWords are the first words of the messages about each kind of topic.
var TopicWords = [topicKinds]string{OnChannel: "subscribe", OnPattern: "psubscribe", OnShard: "ssubscribe"}

// TopicEndWords are the first words of the messages that end a subscription of each kind.
var TopicEndWords = [topicKinds]string{OnChannel: "unsubscribe", OnPattern: "punsubscribe", OnShard: "sunsubscribe"}

// SubscriptionCount returns the count that a confirmation shows. Shard channels are counted
// separately.
func (sub *subscriber) SubscriptionCount(kind TopicKind) reply.Value {
	if kind == OnShard {
		return reply.Int(int64(len(sub.Topics[OnShard].List)))
	}
	return reply.Int(int64(len(sub.Topics[OnChannel].List) + len(sub.Topics[OnPattern].List)))
}

// UnsubscribeMessage returns the message that a subscription has ended.
func (sub *subscriber) UnsubscribeMessage(kind TopicKind, name string) reply.Value {
	return reply.Push(reply.Bulk(TopicEndWords[kind]), reply.Bulk(name), sub.SubscriptionCount(kind))
}
