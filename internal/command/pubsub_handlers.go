package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// topicWords begin the messages about each kind of topic.
var topicWords = [topicKinds]string{onChannel: "subscribe", onPattern: "psubscribe", onShard: "ssubscribe"}
var topicEndWords = [topicKinds]string{onChannel: "unsubscribe", onPattern: "punsubscribe", onShard: "sunsubscribe"}

// subscriptionCount is what a confirmation tells: shards are counted apart.
func (sess *Session) subscriptionCount(kind topicKind) reply.Value {
	if kind == onShard {
		return reply.Int(int64(len(sess.topics[onShard].list)))
	}
	return reply.Int(int64(len(sess.topics[onChannel].list) + len(sess.topics[onPattern].list)))
}

// subscribe answers a message for each name. They are pushed, so that CLIENT REPLY does not silence them.
func (c *Ctx) subscribe(kind topicKind) reply.Value {
	sess := c.Session
	switch {
	case !c.Door.MaySubscribe(kind):
		return reply.Err("ERR " + strings.ToUpper(c.Spec.Name) + " isn't allowed for a DENY BLOCKING client")
	case sess.Receive == nil:
		return reply.Err("ERR " + strings.ToUpper(c.Spec.Name) + " needs a connection, which can receive messages")
	}
	sess.Async = !sess.Apart
	for _, name := range c.Args[1:] {
		c.Server.subscribe(sess, kind, name)
		sess.confirm(reply.Push(reply.Bulk(topicWords[kind]), reply.Bulk(name), sess.subscriptionCount(kind)))
	}
	return reply.None()
}

// MaySubscribe reports whether a command from this door may subscribe. Transactions may, but not to shards, as in Redis.
func (d Door) MaySubscribe(kind topicKind) bool {
	return d == DoorClient || d == DoorExec && kind != onShard
}

// confirm adds what a command about subscriptions answers.
func (sess *Session) confirm(v reply.Value) { sess.early = append(sess.early, v) }

// unsubscribe answers a message for each name, or for each subscription when there are no names, or one without a name.
func (c *Ctx) unsubscribe(kind topicKind) reply.Value {
	sess, names := c.Session, c.Args[1:]
	if len(names) == 0 {
		names = append(names, sess.topics[kind].list...)
	}
	for _, name := range names {
		c.Server.unsubscribe(sess, kind, name)
		sess.confirm(sess.endOf(kind, name))
	}
	if len(names) == 0 {
		sess.confirm(reply.Push(reply.Bulk(topicEndWords[kind]), reply.Nil(), sess.subscriptionCount(kind)))
	}
	return reply.None()
}

// endOf tells a session that a subscription has ended.
func (sess *Session) endOf(kind topicKind, name string) reply.Value {
	return reply.Push(reply.Bulk(topicEndWords[kind]), reply.Bulk(name), sess.subscriptionCount(kind))
}

func publish(c *Ctx) reply.Value { return reply.Int(c.Server.publish(c.Args[1], c.Args[2])) }

func spublish(c *Ctx) reply.Value {
	return reply.Int(c.Server.send(onShard, "smessage", c.Args[1], c.Args[2]))
}

func (c *Ctx) listChannels(kind topicKind) reply.Value {
	if len(c.Args) > 3 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try PUBSUB HELP.", oneLine(cut(c.Args[1], 128)))
	}
	out := []reply.Value{}
	for _, t := range c.Server.topics[kind].list {
		if len(c.Args) == 2 || MatchGlob(c.Args[2], t.name, false) {
			out = append(out, reply.Bulk(t.name))
		}
	}
	return reply.Array(out...)
}

func (c *Ctx) countSubscribers(kind topicKind) reply.Value {
	out := []reply.Value{}
	for _, name := range c.Args[2:] {
		n := 0
		if t := c.Server.topics[kind].byName[name]; t != nil {
			n = len(t.sessions)
		}
		out = append(out, reply.Bulk(name), reply.Int(int64(n)))
	}
	return reply.Array(out...)
}

func pubSubHelp() Handler {
	return help("PUBSUB",
		"CHANNELS [<pattern>]",
		"    Return the currently active channels matching a <pattern> (default: '*').",
		"NUMPAT",
		"    Return number of subscriptions to patterns.",
		"NUMSUB [<channel> ...]",
		"    Return the number of subscribers for the specified channels, excluding",
		"    pattern subscriptions(default: no channels).",
		"SHARDCHANNELS [<pattern>]",
		"    Return the currently active shard level channels matching a <pattern> (default: '*').",
		"SHARDNUMSUB [<shardchannel> ...]",
		"    Return the number of subscribers for the specified shard level channel(s)",
	)
}
