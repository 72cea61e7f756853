package pubsubcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// subscribe sends a confirmation for each name. Confirmations are pushed, so that CLIENT REPLY does
// not suppress them.
func subscribe(c *server.Ctx, kind server.TopicKind) reply.Value {
	sess := c.Session
	switch {
	case !maySubscribe(c.Door, kind):
		return reply.Err("ERR " + strings.ToUpper(c.Spec.Name) + " isn't allowed for a DENY BLOCKING client")
	case sess.Receive == nil:
		return reply.Err("ERR " + strings.ToUpper(c.Spec.Name) + " needs a connection, which can receive messages")
	}
	sess.Async = !sess.SeparatePushes
	for _, name := range c.Args[1:] {
		c.Server.Subscribe(sess, kind, name)
		confirm(sess, reply.Push(reply.Bulk(server.TopicWords[kind]), reply.Bulk(name), sess.SubscriptionCount(kind)))
	}
	return reply.None()
}

// maySubscribe reports whether a command from this door may subscribe. As in Redis, transactions
// may subscribe, but not to channels of a shard.
func maySubscribe(d cmdtable.Door, kind server.TopicKind) bool {
	return d == cmdtable.DoorClient || d == cmdtable.DoorExec && kind != server.OnShard
}

// confirm appends the confirmation of a subscription or its end.
func confirm(sess *server.Session, v reply.Value) { sess.OwnPushes = append(sess.OwnPushes, v) }

// unsubscribe sends a confirmation for each name; without names, for each subscription, or one
// without a name when there are none.
func unsubscribe(c *server.Ctx, kind server.TopicKind) reply.Value {
	sess, names := c.Session, c.Args[1:]
	if len(names) == 0 {
		names = append(names, sess.Topics[kind].List...)
	}
	for _, name := range names {
		c.Server.Unsubscribe(sess, kind, name)
		confirm(sess, sess.UnsubscribeMessage(kind, name))
	}
	if len(names) == 0 {
		confirm(sess, reply.Push(reply.Bulk(server.TopicEndWords[kind]), reply.Nil(), sess.SubscriptionCount(kind)))
	}
	return reply.None()
}

func publish(c *server.Ctx) reply.Value {
	c.ForceEffect(server.ToReplicas)
	return reply.Int(c.Server.Publish(c.Args[1], c.Args[2]))
}

func spublish(c *server.Ctx) reply.Value {
	c.ForceEffect(server.ToReplicas)
	return reply.Int(c.Server.Send(server.OnShard, "smessage", c.Args[1], c.Args[2]))
}

func listChannels(c *server.Ctx, kind server.TopicKind) reply.Value {
	if len(c.Args) > 3 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try PUBSUB HELP.",
			errtext.OneLine(errtext.Cut(c.Args[1], 128)))
	}
	out := []reply.Value{}
	for _, t := range c.Server.Topics[kind].List {
		if len(c.Args) == 2 || glob.Match(c.Args[2], t.Name, false) {
			out = append(out, reply.Bulk(t.Name))
		}
	}
	return reply.Array(out...)
}

func countSubscribers(c *server.Ctx, kind server.TopicKind) reply.Value {
	out := []reply.Value{}
	for _, name := range c.Args[2:] {
		n := 0
		if t := c.Server.Topics[kind].ByName[name]; t != nil {
			n = len(t.Sessions)
		}
		out = append(out, reply.Bulk(name), reply.Int(int64(n)))
	}
	return reply.Array(out...)
}

func pubSubHelp() server.Handler {
	return server.Help("PUBSUB",
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
