package pubsub

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/glob"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rows declares the commands of publish and subscribe.
func Rows() []*cmdtable.Spec {
	shardKeys := []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.NotKey, 1, -1, 1)}
	return []*cmdtable.Spec{
		{
			Name: "subscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Channels: cmdtable.AllChannels,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Subscribes this connection to channels",
			Syntax:  `channel...`,
			Handler: func(c *server.Ctx) reply.Value { return subscribe(c, server.OnChannel) },
		},
		{
			Name: "psubscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Channels: cmdtable.AllPatterns,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N patterns of this connection",
			Summary: "Subscribes this connection to the channels whose names match patterns",
			Syntax:  `pattern{pattern*}...`,
			Handler: func(c *server.Ctx) reply.Value { return subscribe(c, server.OnPattern) },
		},
		{
			Name: "ssubscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Keys:     shardKeys,
			Channels: cmdtable.AllChannels,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Subscribes this connection to channels of a shard",
			Syntax:  `shardchannel...`,
			Handler: func(c *server.Ctx) reply.Value { return subscribe(c, server.OnShard) },
		},
		{
			Name: "unsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels, or to all",
			Syntax:  `[channel...]`,
			Handler: func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnChannel) },
		},
		{
			Name: "punsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N patterns of this connection and M patterns of all",
			Summary: "Ends the subscriptions of this connection to patterns, or to all",
			Syntax:  `[pattern*...]`,
			Handler: func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnPattern) },
		},
		{
			Name: "sunsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Keys:  shardKeys,
			Since: "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels of a shard, or to all",
			Syntax:  `[shardchannel...]`,
			Handler: func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnShard) },
		},
		{
			Name: "publish", Arity: 3, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.MayReplicate,
			Spread:   cmdtable.SpreadSum,
			Channels: cmdtable.OneChannel,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N subscribers of the channel and M patterns of all",
			Summary: "Sends a message to the subscribers of a channel",
			Syntax:  `channel message`,
			Handler: publish,
		},
		{
			Name: "spublish", Arity: 3, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.MayReplicate,
			Keys:     []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.NotKey, 1, 0, 1)},
			Channels: cmdtable.OneChannel,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of the channel",
			Summary: "Sends a message to the subscribers of a channel of a shard",
			Syntax:  `shardchannel message`,
			Handler: spublish,
		},
		{
			Name: "pubsub", Arity: -2,
			Since: "2.8.0", Group: "pubsub", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about channels and their subscribers",
			Subs: []*cmdtable.Spec{
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of PUBSUB",
					Handler: pubSubHelp(),
				},
				{
					Name: "channels", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadJoin,
					Since:  "2.8.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels that have subscribers",
					Syntax:  `[pattern*]`,
					Handler: func(c *server.Ctx) reply.Value { return listChannels(c, server.OnChannel) },
				},
				{
					Name: "shardnumsub", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "7.0.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels of a shard",
					Syntax:  `[shardchannel...]`,
					Handler: func(c *server.Ctx) reply.Value { return countSubscribers(c, server.OnShard) },
				},
				{
					Name: "numpat", Arity: 2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "2.8.0", Complexity: "O(1)",
					Summary: "Counts the patterns that have subscribers",
					Handler: func(c *server.Ctx) reply.Value { return reply.Int(int64(len(c.Server.Topics[server.OnPattern].List))) },
				},
				{
					Name: "numsub", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "2.8.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels",
					Syntax:  `[channel...]`,
					Handler: func(c *server.Ctx) reply.Value { return countSubscribers(c, server.OnChannel) },
				},
				{
					Name: "shardchannels", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadJoin,
					Since:  "7.0.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels of a shard that have subscribers",
					Syntax:  `[pattern*]`,
					Handler: func(c *server.Ctx) reply.Value { return listChannels(c, server.OnShard) },
				},
			},
		},
	}
}

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
