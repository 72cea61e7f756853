package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// pubsubRows declares the commands of publish and subscribe.
func pubsubRows() []*cmdtable.Spec {
	shardKeys := []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.NotKey, 1, -1, 1)}
	return []*cmdtable.Spec{
		{
			Name: "subscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Channels: cmdtable.AllChannels,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Subscribes this connection to channels",
			Reply:   `[any]`,
			Syntax:  `channel...`,
		},
		{
			Name: "psubscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Channels: cmdtable.AllPatterns,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N) for N patterns of this connection",
			Summary: "Subscribes this connection to the channels whose names match patterns",
			Reply:   `[any]`,
			Syntax:  `pattern{pattern*}...`,
		},
		{
			Name: "ssubscribe", Arity: -2, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Keys:     shardKeys,
			Channels: cmdtable.AllChannels,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N channels",
			Summary: "Subscribes this connection to channels of a shard",
			Reply:   `[any]`,
			Syntax:  `shardchannel...`,
		},
		{
			Name: "unsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels, or to all",
			Reply:   `[any]`,
			Syntax:  `[channel...]`,
		},
		{
			Name: "punsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Since: "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N patterns of this connection and M patterns of all",
			Summary: "Ends the subscriptions of this connection to patterns, or to all",
			Reply:   `[any]`,
			Syntax:  `[pattern*...]`,
		},
		{
			Name: "sunsubscribe", Arity: -1, Flags: cmdtable.PubSub | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true, AllowedSubscribed: true,
			Keys:  shardKeys,
			Since: "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of a channel",
			Summary: "Ends the subscriptions of this connection to channels of a shard, or to all",
			Reply:   `[any]`,
			Syntax:  `[shardchannel...]`,
		},
		{
			Name: "publish", Arity: 3, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.MayReplicate,
			Spread:   cmdtable.SpreadSum,
			Channels: cmdtable.OneChannel,
			Since:    "2.0.0", Group: "pubsub", Complexity: "O(N+M) for N subscribers of the channel and M patterns of all",
			Summary: "Sends a message to the subscribers of a channel",
			Reply:   `int`,
			Varies:  cmdtable.ByClients,
			Syntax:  `channel message`,
		},
		{
			Name: "spublish", Arity: 3, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.MayReplicate,
			Keys:     []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.NotKey, 1, 0, 1)},
			Channels: cmdtable.OneChannel,
			Since:    "7.0.0", Group: "pubsub", Complexity: "O(N) for N subscribers of the channel",
			Summary: "Sends a message to the subscribers of a channel of a shard",
			Reply:   `int`,
			Varies:  cmdtable.ByClients,
			Syntax:  `shardchannel message`,
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
					Reply:   `[status]`,
				},
				{
					Name: "channels", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadJoin,
					Since:  "2.8.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels that have subscribers",
					Reply:   `[text]`,
					Varies:  cmdtable.ByOrder | cmdtable.ByClients,
					Syntax:  `[pattern*]`,
				},
				{
					Name: "shardnumsub", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "7.0.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels of a shard",
					Reply:   `{text int}`,
					Varies:  cmdtable.ByClients,
					Syntax:  `[shardchannel...]`,
				},
				{
					Name: "numpat", Arity: 2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "2.8.0", Complexity: "O(1)",
					Summary: "Counts the patterns that have subscribers",
					Reply:   `int`,
					Varies:  cmdtable.ByClients,
				},
				{
					Name: "numsub", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadSum,
					Since:  "2.8.0", Complexity: "O(N) for N channels named",
					Summary: "Counts the subscribers of channels",
					Reply:   `{text int}`,
					Varies:  cmdtable.ByClients,
					Syntax:  `[channel...]`,
				},
				{
					Name: "shardchannels", Arity: -2, Flags: cmdtable.PubSub | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadJoin,
					Since:  "7.0.0", Complexity: "O(N) for N channels",
					Summary: "Lists the channels of a shard that have subscribers",
					Reply:   `[text]`,
					Varies:  cmdtable.ByOrder | cmdtable.ByClients,
					Syntax:  `[pattern*]`,
				},
			},
		},
	}
}
