package command

import "github.com/redmoon-lua/redmoon/internal/reply"

// pubSubCommands declares the pub/sub family.
func pubSubCommands() []*Spec {
	shardKeys := []KeySpec{keyRange(NotKey, 1, -1, 1)}
	return []*Spec{
		{
			Name: "subscribe", Arity: -2, Flags: PubSub | NoScript | Loading | Stale,
			Channels: AllChannels,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Lets this connection receive what is published to channels",
			Syntax:  `channel...`,
			Handler: func(c *Ctx) reply.Value { return c.subscribe(onChannel) },
		},
		{
			Name: "psubscribe", Arity: -2, Flags: PubSub | NoScript | Loading | Stale,
			Channels: AllPatterns,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N patterns of this connection",
			Summary: "Lets this connection receive what is published to channels whose names match patterns",
			Syntax:  `pattern{pattern*}...`,
			Handler: func(c *Ctx) reply.Value { return c.subscribe(onPattern) },
		},
		{
			Name: "ssubscribe", Arity: -2, Flags: PubSub | NoScript | Loading | Stale,
			Keys:     shardKeys,
			Channels: AllChannels,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Lets this connection receive what is published to channels of a shard",
			Syntax:  `shardchannel...`,
			Handler: func(c *Ctx) reply.Value { return c.subscribe(onShard) },
		},
		{
			Name: "unsubscribe", Arity: -1, Flags: PubSub | NoScript | Loading | Stale,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels, or to all",
			Syntax:  `[channel...]`,
			Handler: func(c *Ctx) reply.Value { return c.unsubscribe(onChannel) },
		},
		{
			Name: "punsubscribe", Arity: -1, Flags: PubSub | NoScript | Loading | Stale,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N patterns of this connection and M patterns of all",
			Summary: "Ends the subscriptions of this connection to patterns, or to all",
			Syntax:  `[pattern*...]`,
			Handler: func(c *Ctx) reply.Value { return c.unsubscribe(onPattern) },
		},
		{
			Name: "sunsubscribe", Arity: -1, Flags: PubSub | NoScript | Loading | Stale,
			Keys:  shardKeys,
			Since: "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels of a shard, or to all",
			Syntax:  `[shardchannel...]`,
			Handler: func(c *Ctx) reply.Value { return c.unsubscribe(onShard) },
		},
		{
			Name: "publish", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate,
			Channels: OneChannel,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N subscribers of the channel and M patterns of all",
			Summary: "Sends a message to those who are subscribed to a channel",
			Syntax:  `channel message`,
			Handler: publish,
		},
		{
			Name: "spublish", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate,
			Keys:     []KeySpec{keyRange(NotKey, 1, 0, 1)},
			Channels: OneChannel,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of the channel",
			Summary: "Sends a message to those who are subscribed to a channel of a shard",
			Syntax:  `shardchannel message`,
			Handler: spublish,
		},
		{
			Name: "pubsub", Arity: -2,
			Since: "2.8.0", Group: "pubsub", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about channels and their subscribers",
			Subs: []*Spec{
				{
					Name: "help", Arity: 2, Flags: Loading | Stale,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of PUBSUB",
					Handler: pubSubHelp(),
				},
				{
					Name: "channels", Arity: -2, Flags: PubSub | Loading | Stale,
					Since: "2.8.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels that have subscribers",
					Syntax:  `[pattern*]`,
					Handler: func(c *Ctx) reply.Value { return c.listChannels(onChannel) },
				},
				{
					Name: "shardnumsub", Arity: -2, Flags: PubSub | Loading | Stale,
					Since: "7.0.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels of a shard",
					Syntax:  `[shardchannel...]`,
					Handler: func(c *Ctx) reply.Value { return c.countSubscribers(onShard) },
				},
				{
					Name: "numpat", Arity: 2, Flags: PubSub | Loading | Stale,
					Since: "2.8.0", Complexity: "O(1)",
					Summary: "Counts the patterns that have subscribers",
					Handler: func(c *Ctx) reply.Value { return reply.Int(int64(len(c.Server.topics[onPattern].list))) },
				},
				{
					Name: "numsub", Arity: -2, Flags: PubSub | Loading | Stale,
					Since: "2.8.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels",
					Syntax:  `[channel...]`,
					Handler: func(c *Ctx) reply.Value { return c.countSubscribers(onChannel) },
				},
				{
					Name: "shardchannels", Arity: -2, Flags: PubSub | Loading | Stale,
					Since: "7.0.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels of a shard that have subscribers",
					Syntax:  `[pattern*]`,
					Handler: func(c *Ctx) reply.Value { return c.listChannels(onShard) },
				},
			},
		},
	}
}
